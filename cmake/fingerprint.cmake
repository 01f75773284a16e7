# cmake -DROOT=... -DOUT=... -P fingerprint.cmake: writes a source file that defines lockcast::model_fingerprint, a hash of every
# source that can change what a simulation says. Written only when it differs, so that nothing else is compiled again.
set(texts "")
foreach(folder models sim/env sim/locks sim/yaml sim/workload sim/engine sim/os sim/memory sim/run)
  file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.hpp)
  list(SORT sources)
  foreach(source IN LISTS sources)
    file(SHA256 ${ROOT}/${source} hash)
    string(APPEND texts "${source} ${hash}\n")
  endforeach()
endforeach()
string(SHA256 hash "${texts}")
string(SUBSTRING ${hash} 0 12 hash)
file(CONFIGURE OUTPUT ${OUT} CONTENT
     "#include \"sim/study/program.hpp\"\n\nnamespace lockcast {\n\nconst char* const model_fingerprint = \"${hash}\";\n\n}  // namespace lockcast\n")
