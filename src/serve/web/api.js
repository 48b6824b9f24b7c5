// The service's API: requests with the token if one is set, and the stream of events.

const TOKEN = 'crawler-token';
const PATIENCE_MS = 30000;

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;  // 0: there was no answer.
  }
}

let askForToken = async () => null;
let asking = null;

/** `ask` gets a sentence and resolves to a token, or null. */
export function onTokenNeeded(ask) {
  askForToken = ask;
}

export const hasToken = () => Boolean(sessionStorage.getItem(TOKEN));

function headers(more) {
  const token = sessionStorage.getItem(TOKEN);
  return {...(token ? {Authorization: `Bearer ${token}`} : {}), ...more};
}

// One question for all requests that wait for it.
async function newToken(used) {
  if (sessionStorage.getItem(TOKEN) !== used) return true;
  asking ??= askForToken(used ? 'That token was not accepted.' : '').finally(() => {
    asking = null;
  });
  const token = await asking;
  if (!token) return false;
  sessionStorage.setItem(TOKEN, token);
  return true;
}

async function failure(response) {
  let body = null;
  try {
    body = JSON.parse((await response.text()).slice(0, 10000));
  } catch {
    // Not ours, e.g. of a proxy: the status says enough.
  }
  const text = body && typeof body.error === 'string' && body.error
    ? body.error : `The service answered ${response.status}.`;
  return new ApiError(text, response.status);
}

/** fetch() that knows the token and turns failures into ApiError. */
export async function request(path, {method = 'GET', body, signal, patience = PATIENCE_MS} = {}) {
  for (;;) {
    const used = sessionStorage.getItem(TOKEN);
    const signals = [signal, patience && AbortSignal.timeout(patience)].filter(Boolean);
    let response;
    try {
      response = await fetch(path, {
        method,
        signal: AbortSignal.any(signals),
        headers: headers(method === 'POST'
          ? {'X-Crawler': '1', 'Content-Type': 'application/json'} : {}),
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: 'same-origin',
        redirect: 'error',
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError(error.name === 'TimeoutError'
        ? 'The service did not answer in time.' : 'The service cannot be reached.', 0);
    }
    if (response.ok) return response;
    if (response.status !== 401 || !(await newToken(used))) throw await failure(response);
  }
}

function withQuery(path, query) {
  const set = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '' &&
    value !== null);
  return set.length ? `${path}?${new URLSearchParams(set)}` : path;
}

/** The API of one crawl. */
export class CrawlApi {
  constructor(name) {
    this.name = name;
    this.base = `/api/v1/crawls/${encodeURIComponent(name)}`;
  }

  address(what, query) {
    return withQuery(`${this.base}/${what}`, query);
  }

  async get(what, query, signal) {
    return (await request(this.address(what, query), {signal})).json();
  }

  async text(what, query, signal) {
    return (await request(this.address(what, query), {signal})).text();
  }

  async post(what, body) {
    const response = await request(`${this.base}/${what}`, {method: 'POST', body: body ?? {}});
    return response.json().catch(() => ({}));
  }
}

/** All crawls, and whether new ones can be started. */
export async function listCrawls(signal) {
  const response = await request('/api/v1/crawls', {signal});
  const crawls = await response.json();
  // An empty list does not say; a service that starts none refuses in words.
  return {crawls, canStart: crawls.length === 0 || crawls.some(({startable}) => startable)};
}

export const startCrawl = async (body) =>
  (await request('/api/v1/crawls', {method: 'POST', body})).json();

/** Server-sent events out of a stream of text: calls take(event, data) for each. */
export function eventParser(take) {
  let rest = '';
  let event = 'message';
  let data = [];
  return (text) => {
    rest += text;
    const lines = rest.split(/\r\n|\n|\r/);
    rest = lines.pop();
    for (const line of lines) {
      if (line === '') {
        if (data.length) take(event, data.join('\n'));
        event = 'message';
        data = [];
      } else if (line.startsWith('event:')) {
        event = line.slice(6).trim();
      } else if (line.startsWith('data:')) {
        data.push(line.slice(5).replace(/^ /, ''));
      }
    }
  };
}

const SILENCE_MS = 10000;  // The service says something every second.
const HIDDEN_MS = 60000;   // A page that nobody looks at gives its connection back.
const LINES = 2000;        // Of the log, kept while the page is open.

/**
 * The events of a crawl as long as it is open: connects again by itself. Dispatches `status`, `page`
 * and `log` with the data in `detail`, and `connection` with {connected, error, retryAt}.
 */
export class LiveFeed extends EventTarget {
  constructor(api) {
    super();
    this.api = api;
    this.connected = null;  // Not known yet.
    this.status = null;
    this.lines = [];
    this.failures = 0;
    this.closed = false;
    this.onVisible = () => this.watchVisibility();
    document.addEventListener('visibilitychange', this.onVisible);
    this.run();
  }

  close() {
    this.closed = true;
    document.removeEventListener('visibilitychange', this.onVisible);
    clearTimeout(this.hideTimer);
    this.stop?.abort();
    this.wake?.();
  }

  /** Tries now rather than later. */
  hurry() {
    this.wake?.();
  }

  watchVisibility() {
    clearTimeout(this.hideTimer);
    if (document.hidden) {
      this.hideTimer = setTimeout(() => {
        this.resting = true;
        this.stop?.abort();
      }, HIDDEN_MS);
    } else if (this.resting) {
      this.resting = false;
      this.wake?.();
    }
  }

  async run() {
    while (!this.closed) {
      let error = null;
      try {
        await this.listen();
      } catch (caught) {
        error = caught;
      }
      if (this.closed) return;
      const busy = error?.status === 429 || error?.status === 503;
      if (!this.resting && !(busy && await this.poll())) this.tell(false, error);
      await this.pause();
    }
  }

  // A service that has no room for another stream still says how the crawl is.
  async poll() {
    try {
      this.status = await this.api.get('status');
    } catch {
      return false;
    }
    this.failures = Math.min(this.failures, 2);
    this.tell(true);
    this.emit('status', this.status);
    return true;
  }

  pause() {
    const wait = Math.min(15000, 500 * 2 ** Math.min(this.failures++, 5));
    this.retryAt = Date.now() + wait;
    return new Promise((resolve) => {
      this.wake = resolve;
      if (!this.resting) setTimeout(resolve, wait);
    });
  }

  tell(connected, error = null) {
    const changed = this.connected !== connected;
    this.connected = connected;
    this.error = error;
    if (changed || error) this.emit('connection', {connected, error});
  }

  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, {detail}));
  }

  async listen() {
    this.stop = new AbortController();
    let silence;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => this.stop.abort(), SILENCE_MS);
    };
    heard();
    try {
      const response = await request(this.api.address('events'),
        {signal: this.stop.signal, patience: 0});
      const feed = eventParser((event, data) => this.take(event, data));
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const {done, value} = await reader.read();
        if (done) return;
        heard();
        this.failures = 0;
        this.tell(true);
        feed(value);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  take(event, text) {
    let data = text;
    try {
      data = JSON.parse(text);
    } catch {
      // A log line may be plain text.
    }
    if (event === 'status') this.status = data;
    if (event === 'log') this.keepLine(typeof data === 'object' && data ? String(data.line ?? '') : String(data));
    if (event === 'page') this.keepLine({at: Date.now(), page: data});
    this.emit(event, data);
  }

  keepLine(line) {
    this.lines.push(line);
    if (this.lines.length > LINES * 1.2) this.lines = this.lines.slice(-LINES);
  }
}
