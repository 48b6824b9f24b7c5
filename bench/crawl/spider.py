"""The least a scrapy crawl needs: follow every link of the host, keep nothing."""
import os

from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

url = os.environ["BENCH_URL"]


class BenchSpider(CrawlSpider):
    name = "bench"
    start_urls = [url]
    # By host and port, which allowed_domains does not tell apart.
    rules = [Rule(LinkExtractor(allow=r"^http://" + url.split("/")[2].replace(".", r"\.") + "/"),
                  follow=True)]
    custom_settings = {
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
        "ROBOTSTXT_OBEY": False,
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
    }
