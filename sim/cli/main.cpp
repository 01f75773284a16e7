#include "sim/cli/verbs.hpp"

int main(int argc, char** argv) { return lockcast::run_program({argv + (argc > 0 ? 1 : 0), argv + argc}); }
