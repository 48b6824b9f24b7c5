#include "engine/options_json.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace crawler {
namespace {

TEST(OptionsJson, ComesBackAsItWas) {
  CrawlOptions options;
  options.seeds = {"http://e.com/", "http://\xff/"};  // Any bytes.
  options.scope = CrawlScope::kWeb;
  options.include = {"a\"b\\c"};
  options.delay = std::chrono::milliseconds(1234);
  options.max_depth = 0;
  options.max_per_domain = 7;
  options.max_bytes = 1ull << 60;
  options.order = CrawlOrder::kDfs;
  options.host_delays = {{"*.e.com", std::chrono::milliseconds(5)}, {"f.com", {}}};
  options.warc = false;
  options.network.user_agent = "Bot/1";
  options.network.cookies = true;
  options.network.allow_nets = {"127.0.0.0/8"};
  options.network.total_timeout = std::chrono::milliseconds(5);
  options.folder = "not kept";
  const Result<CrawlOptions> back = OptionsFromJson(ToJson(options));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->seeds[0], options.seeds[0]);
  EXPECT_EQ(back->folder, "");
  // One list of fields serves both ways, so writing what was read shows every one of them.
  EXPECT_EQ(ToJson(*back), ToJson(*OptionsFromJson(ToJson(*back))));
  EXPECT_EQ(back->scope, options.scope);
  EXPECT_EQ(back->include, options.include);
  EXPECT_EQ(back->delay, options.delay);
  EXPECT_EQ(back->max_depth, 0);
  EXPECT_EQ(back->max_per_domain, 7);
  EXPECT_EQ(back->max_bytes, options.max_bytes);
  EXPECT_EQ(back->order, CrawlOrder::kDfs);
  ASSERT_EQ(back->host_delays.size(), 2u);
  EXPECT_EQ(back->host_delays[0].host, "*.e.com");
  EXPECT_EQ(back->host_delays[0].delay, std::chrono::milliseconds(5));
  EXPECT_EQ(back->host_delays[1].host, "f.com");
  EXPECT_FALSE(back->warc);
  EXPECT_EQ(back->network.user_agent, "Bot/1");
  EXPECT_TRUE(back->network.cookies);
  EXPECT_EQ(back->network.allow_nets, options.network.allow_nets);
  EXPECT_EQ(back->network.total_timeout, options.network.total_timeout);
}

TEST(OptionsJson, SecretsAreNotKept) {
  CrawlOptions options;
  options.network.proxy = "http://user:p@ss@proxy.example:3128";
  EXPECT_EQ(OptionsFromJson(ToJson(options))->network.proxy, "http://proxy.example:3128");
  options.network.proxy = "socks5h://proxy.example:1080";
  EXPECT_EQ(OptionsFromJson(ToJson(options))->network.proxy, "socks5h://proxy.example:1080");
}

TEST(OptionsJson, MissingFieldsKeepTheirDefaults) {
  const Result<CrawlOptions> options = OptionsFromJson("{\"per_host\":3,\"from the future\":1}");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->per_host, 3);
  EXPECT_EQ(options->delay, CrawlOptions().delay);
}

TEST(OptionsJson, DamageIsSaid) {
  for (const char* text :
       {"", "[]", "{", "{\"per_host\":\"many\"}", "{\"delay_ms\":[]}", "{\"delay_ms\":1e300}",
        "{\"per_host\":1.5}", "{\"per_host\":4294967297}", "{\"max_pages\":-1}", "{\"scope\":99}",
        "{\"order\":-1}", "{\"host_delays\":[{\"host\":\"a\",\"delay_ms\":1e300}]}",
        "{\"host_delays\":7}", "{\"host_delays\":[{\"host\":\"a\"}]}"}) {
    const Result<CrawlOptions> options = OptionsFromJson(text);
    ASSERT_FALSE(options.ok()) << text;
    EXPECT_EQ(options.status().code(), StatusCode::kCorruption);
  }
}

}  // namespace
}  // namespace crawler
