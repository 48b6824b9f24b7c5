#include "web/nginx.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "web/free_port.hpp"

namespace crawler {
namespace {

std::string FindNginx() {
  for (const char* path : {"/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return {};
}

}  // namespace

std::unique_ptr<Nginx> Nginx::Start() {
  if (FindNginx().empty()) return nullptr;
  return std::unique_ptr<Nginx>(new Nginx());
}

Nginx::Nginx() {
  Certificate::Options authority_options;
  authority_options.common_name = "nginx test authority";
  authority_options.authority = true;
  const Certificate authority(authority_options);
  Certificate::Options site_options;
  site_options.dns_names = {"site.test"};
  site_options.ip_addresses = {"127.0.0.1"};
  const Certificate site(site_options, &authority);
  ca_file_ = folder_.Write("ca.pem", authority.CertificatePem());
  folder_.Write("site.pem", site.CertificatePem());
  folder_.Write("site.key", site.KeyPem());
  std::filesystem::create_directory(folder_.path() + "/root");
  // Root gives its workers to another user, who has to get at the files.
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);

  const std::string nginx = FindNginx();
  for (int attempt = 0; attempt < 5; ++attempt) {  // Somebody else may take a free port first.
    plain_port_ = FreePort();
    tls_port_ = FreePort();
    const std::string p = folder_.path();
    const std::string config = folder_.Write(
        "nginx.conf",
        "daemon off; master_process off; worker_processes 1; pid " + p + "/pid; error_log " + p +
            "/error.log;\nevents { worker_connections 1024; }\nhttp {\n  access_log off;\n"
            "  types { text/html html; }\n  default_type text/html;\n"
            "  client_body_temp_path " +
            p + "/b; proxy_temp_path " + p + "/p; fastcgi_temp_path " + p + "/f; uwsgi_temp_path " +
            p + "/u; scgi_temp_path " + p +
            "/s;\n"
            "  gzip on; gzip_types *; gzip_min_length 1; keepalive_requests 100000;\n"
            "  ssl_protocols TLSv1.2 TLSv1.3;\n  ssl_certificate " +
            p + "/site.pem; ssl_certificate_key " + p +
            "/site.key;\n"
            "  server { listen 127.0.0.1:" +
            std::to_string(plain_port_) + "; listen 127.0.0.1:" + std::to_string(tls_port_) +
            " ssl http2; root " + p + "/root; }\n}\n");
    pid_ = fork();
    if (pid_ == 0) {
      execl(nginx.c_str(), nginx.c_str(), "-c", config.c_str(), "-p", p.c_str(),
            static_cast<char*>(nullptr));
      _exit(127);
    }
    for (int i = 0; i < 200; ++i) {
      if (Listens(plain_port_) && Listens(tls_port_)) return;
      if (waitpid(pid_, nullptr, WNOHANG) == pid_) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  throw std::runtime_error("nginx does not start");
}

Nginx::~Nginx() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

void Nginx::Add(const std::string& name, const std::string& content) const {
  folder_.Write("root/" + name, content);
}

std::string Nginx::PlainUrl(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(plain_port_) + path;
}

std::string Nginx::TlsUrl(const std::string& path) const {
  return "https://site.test:" + std::to_string(tls_port_) + path;
}

}  // namespace crawler
