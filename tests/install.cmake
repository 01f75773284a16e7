# cmake -DBUILD=... -DSOURCE=... -DWORK=... -P install.cmake: what a user gets who installs Lockcast and works elsewhere. The program must
# find its data beside itself, whatever is in the source tree.

function(run what expected_code out)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK}/elsewhere RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT code EQUAL expected_code)
    message(FATAL_ERROR "${what}: exit code ${code}, not ${expected_code}\n${output}\n${errors}")
  endif()
  set(${out} "${output}" PARENT_SCOPE)
endfunction()

function(expect text part)
  string(FIND "${text}" "${part}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "expected '${part}' in:\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/elsewhere)
file(WRITE ${WORK}/elsewhere/mine.yaml "schema: lockcast/scenario/1
name: mine
question: \"does an installed program run a scenario of my own?\"
machine: textbook-32
lines:
  data: {count: 1, stride: 64 B}
locks:
  guard: {kind: ttas}
transaction:
  - work: 20 us
  - acquire: {lock: guard}
  - touch: {lines: data, access: write}
  - release: guard
clients: [1, 4]
")

run("install" 0 ignored ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
set(lockcast ${WORK}/prefix/bin/lockcast)
run("list" 0 list ${lockcast} list)
expect("${list}" "hpux-spinlock")
expect("${list}" "${WORK}/prefix/share/lockcast/machines/textbook-32.yaml")
string(FIND "${list}" "${SOURCE}/machines" at)
if(NOT at EQUAL -1)
  message(FATAL_ERROR "the installed program looks into the source tree:\n${list}")
endif()
run("check" 0 check ${lockcast} check mine.yaml)
expect("${check}" "ok: mine.yaml (scenario, 2 points on textbook-32)")
run("simulate" 0 table ${lockcast} simulate mine.yaml --measure "5 ms" --warmup "1 ms" -j1 --format csv)
expect("${table}" ",mine,textbook-32,")
run("check of a broken file" 3 ignored ${lockcast} check mine.yaml nothing.yaml)
if(NOT EXISTS ${WORK}/prefix/share/bash-completion/completions/lockcast)
  message(FATAL_ERROR "no completion was installed")
endif()
file(REMOVE_RECURSE ${WORK})
