// main() of every Boost.Test program of this project.
#define BOOST_TEST_MODULE usershell
#include <boost/test/unit_test.hpp>
