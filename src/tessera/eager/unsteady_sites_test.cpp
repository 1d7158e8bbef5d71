#include "tessera/eager/unsteady_sites.h"

#include <gtest/gtest.h>

namespace tessera::eager {
namespace {

/// The site in one more window.
void note(UnsteadySites& sites, uint64_t site, bool found) {
  sites.begin_window();
  sites.note(site, found);
}

int turns_of(UnsteadySites& sites, uint64_t site) {
  int count = 0;
  while (sites.take_turn(site)) ++count;
  return count;
}

TEST(UnsteadySitesTest, ASiteThatIsPlannedAnewAgainAndAgainRunsAtOnceForAWhile) {
  UnsteadySites sites;
  for (int k = 0; k < 7; ++k) note(sites, 77, false);
  EXPECT_FALSE(sites.take_turn(77));
  note(sites, 77, false);
  EXPECT_EQ(turns_of(sites, 77), 1024);
  note(sites, 77, false);
  EXPECT_FALSE(sites.take_turn(77));
}

TEST(UnsteadySitesTest, ASiteCountsOnceInAWindow) {
  UnsteadySites sites;
  for (int window = 0; window < 7; ++window) {
    sites.begin_window();
    for (int k = 0; k < 60; ++k) sites.note(77, false);
  }
  EXPECT_FALSE(sites.take_turn(77));
  note(sites, 77, false);
  EXPECT_TRUE(sites.take_turn(77));
  sites.clear();
  EXPECT_FALSE(sites.any());
}

TEST(UnsteadySitesTest, APlanThatIsFoundMakesASiteSteady) {
  UnsteadySites sites;
  for (int k = 0; k < 100; ++k) note(sites, 77, k % 7 == 6);
  EXPECT_FALSE(sites.take_turn(77));
}

TEST(UnsteadySitesTest, OtherSitesAreLeftAlone) {
  UnsteadySites sites;
  for (int k = 0; k < 8; ++k) note(sites, 77, false);
  EXPECT_FALSE(sites.take_turn(78));
  EXPECT_TRUE(sites.take_turn(77));
}

TEST(UnsteadySitesTest, ASiteWithoutANameIsNeverUnsteady) {
  UnsteadySites sites;
  for (int k = 0; k < 100; ++k) note(sites, 0, false);
  EXPECT_FALSE(sites.take_turn(0));
}

TEST(UnsteadySitesTest, MoreSitesThanAreKeptReplaceOneAnother) {
  UnsteadySites sites;
  for (uint64_t site = 1; site < 10'000; ++site)
    for (int k = 0; k < 8; ++k) note(sites, site, false);
  int unsteady = 0;
  for (uint64_t site = 1; site < 10'000; ++site) unsteady += sites.take_turn(site);
  EXPECT_GT(unsteady, 500);
  EXPECT_LE(unsteady, 1024);
  for (uint64_t site = 1; site < 10'000; ++site) turns_of(sites, site);
  EXPECT_FALSE(sites.take_turn(9'999));
}

}  // namespace
}  // namespace tessera::eager
