#include "models/units.hpp"
