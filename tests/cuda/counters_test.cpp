#include "cuda/counters.h"
#include "catch.h"

using namespace warpmill;
using namespace warpmill::cuda;

TEST_CASE("Counters are read kernel by kernel from what Nsight Compute prints") {
  const auto kernels = parseCounters("==PROF== Connected to process 1\n"
                                     "vec_add cold\n"
                                     "\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\r\n"
                                     "\"0\",\"1\",\"vec_add(float*, \"\"x\"\")\",\"smsp__inst_executed.sum\",\"inst\",\"1,234\"\n"
                                     "\"0\",\"1\",\"vec_add\",\"gpu__time_duration.sum\",\"ns\",\"2208.5\"\n"
                                     "\"0\",\"1\",\"vec_add\",\"smsp__none\",\"\",\"n/a\"\n"
                                     "\"1\",\"1\",\"saxpy\",\"smsp__inst_executed.sum\",\"inst\",\"7\"\n");
  REQUIRE(kernels.ok());
  REQUIRE(kernels->size() == 2);
  CHECK(kernels->at(0).at("smsp__inst_executed.sum") == 1234);
  CHECK(kernels->at(0).at("gpu__time_duration.sum") == 2208.5);
  CHECK(kernels->at(0).count("smsp__none") == 0);
  CHECK(kernels->at(1).at("smsp__inst_executed.sum") == 7);
}

TEST_CASE("What is no table of counters is said to be none") {
  CHECK_FALSE(parseCounters("").ok());
  CHECK_FALSE(parseCounters("==ERROR== The application returned an error code\n").ok());
  CHECK_FALSE(parseCounters("\"ID\",\"Kernel Name\"\n\"0\",\"x\"\n").ok());
}
