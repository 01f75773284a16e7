// OpenMPI's launcher says in the environment how many processes it started. The module with MPI in it, and so libmpi,
// is loaded only then. It is never unloaded: MPI may have left handlers behind.

#include "sim/cli/mpirun.hpp"

#include "models/check.hpp"
#include "sim/run/predict.hpp"
#include "sim/run/rank_crew.hpp"
#include "sim/study/program.hpp"
#include "sim/yaml/document.hpp"

#include <dlfcn.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace lockcast {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Beside the program, or where an installed one has it; empty: nowhere.
std::string module_path() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const std::filesystem::path& path :
       {folder / "lockcast_mpi.so", folder.parent_path() / "lib" / "lockcast" / "lockcast_mpi.so"}) {
    if (std::filesystem::exists(path, error)) { return path.string(); }
  }
  return "";
}

std::unique_ptr<Ranks> join_ranks(const std::string& path) {
  // OpenMPI's components look for its symbols among the global ones. The module must not: SimGrid has an MPI of its own
  // there, for programs it simulates.
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_DEEPBIND);
  void* symbol = module != nullptr ? dlsym(module, join_ranks_symbol) : nullptr;
  if (symbol == nullptr) {
    throw InputError("cannot load " + yaml::quote(path) + ": " + dlerror(), ExitCode::host_cannot);
  }
  return std::unique_ptr<Ranks>(reinterpret_cast<JoinRanks*>(symbol)());
}

}  // namespace

Mpirun::Mpirun() {
  const std::string size = variable("OMPI_COMM_WORLD_SIZE");
  if (size.empty() || size == "1") { return; }
  worker_ = variable("OMPI_COMM_WORLD_RANK") != "0";
  const std::string path = module_path();
  if (path.empty()) {
    if (worker_) { return; }  // rank 0 says it for all
    throw InputError(
        "started by mpirun, but this build of lockcast has no MPI; expected one that was made where CMake finds "
        "OpenMPI (Debian: libopenmpi-dev), or no mpirun",
        ExitCode::host_cannot);
  }
  ranks_ = join_ranks(path);
  if (worker_) { return; }
  crew_ = std::make_unique<RankCrew>(*ranks_, std::string(LOCKCAST_VERSION) + "+" + model_fingerprint);
  // How mpirun hands on an interrupt; a second later it kills.
  std::signal(SIGTERM, [](int) { interrupt_prediction(); });
}

Mpirun::~Mpirun() = default;

void Mpirun::work() {
  if (ranks_ != nullptr) { work_for_rank_0(*ranks_, std::string(LOCKCAST_VERSION) + "+" + model_fingerprint); }
}

}  // namespace lockcast
