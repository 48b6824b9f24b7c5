// What is compiled here is the precompiled header that all tests share; see CrawlerTargets.cmake.
