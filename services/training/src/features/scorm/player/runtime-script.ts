/**
 * The script that runs before the pages of a package. It creates the run-time API inside the frame of the package, because a
 * page without an origin cannot reach that of its parent, and reports the data to the page that plays the package.
 *
 * On a host of its own (SCORM_CONTENT_URL) a package has an origin, and this script leaves its parents as they are.
 *
 * Packages look for the API in their own window, in their parents, or (as SCORM 2004 proposes) in their parents only, so
 * `parent` is replaced by an object that has it. Storage and cookies do not exist without an origin: reading them would throw,
 * so they are replaced by ones that last as long as the page.
 */
export const runtimeScript = `
(() => {
  const { version, cmi } = launchData;
  const player = window.parent;
  const key = document.currentScript.src;
  const isPackage = player !== window && player === window.top;
  const stored = () => {
    const values = new Map();
    return {
      get length() { return values.size; },
      key: (index) => [...values.keys()][index] ?? null,
      getItem: (key) => values.get(String(key)) ?? null,
      setItem: (key, value) => void values.set(String(key), String(value)),
      removeItem: (key) => void values.delete(String(key)),
      clear: () => values.clear(),
    };
  };
  for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { value: stored(), configurable: true });
  let cookies = '';
  Object.defineProperty(document, 'cookie', { get: () => cookies, set: (text) => { cookies = String(text).split(';')[0]; }, configurable: true });
  // Frames inside of a package find the API in their parents, if they can reach them.
  if (!isPackage) return;

  // The name of a window stays when its page changes. The next page of the package begins with it, because what this page
  // reported may still be on its way to the server.
  const carriedData = () => {
    try {
      const carried = JSON.parse(window.name);
      return carried.key === key ? carried : undefined;
    } catch {
      return undefined;
    }
  };
  const carry = () => {
    window.name = JSON.stringify({ key, cmi: api.renderCMIToJSONObject().cmi, answeredAt: [...answeredAt] });
  };

  const is12 = version === '1.2';
  const Api = is12 ? window.Scorm12API : window.Scorm2004API;
  const api = new Api({ autocommit: false, lmsCommitUrl: false, logLevel: 5 });
  const carried = carriedData();
  if (carried && is12) Object.assign(carried.cmi.core, { entry: cmi.core.entry, total_time: cmi.core.total_time });
  api.loadFromJSON({ cmi: carried ? carried.cmi : cmi }, '');
  const name = is12 ? 'API' : 'API_1484_11';
  window[name] = api;
  if (self.origin !== 'null') {
    // On a host of its own, a package finds the API in its parent, and its frames call each other.
    player[name] = api;
  } else {
    const parent = { [name]: api, postMessage: (...message) => player.postMessage(...message) };
    parent.parent = parent;
    Object.defineProperty(window, 'parent', { value: parent, configurable: true });
  }

  const cut = (value, max = 1000) => String(value ?? '').slice(0, max);
  const number = (value) => (value === '' || value === undefined || value === null || !Number.isFinite(Number(value)) ? null : Number(value));
  const list = (values, max) => Object.values(values ?? {}).slice(0, max);
  const oneOf = (value, allowed, other) => (allowed.includes(value) ? value : other);
  const completions = ['completed', 'incomplete', 'not attempted'];
  const successes = ['passed', 'failed'];
  const scoreOf = ({ raw, min, max, scaled } = {}) =>
    ({ raw: number(raw), min: number(min), max: number(max), scaled: is12 ? null : number(scaled) });
  // 1.2 has one status for both.
  const statusOf = (status) => ({
    completionStatus: successes.includes(status) ? 'completed' : oneOf(status, completions, 'unknown'),
    successStatus: oneOf(status, successes, 'unknown'),
  });
  const duration = (time) => {
    const [, hours, minutes, seconds] = /^(\\d+):(\\d+):(\\d+(?:\\.\\d+)?)$/.exec(time) ?? [];
    return hours === undefined ? cut(time, 100) : 'PT' + (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) + 'S';
  };
  let exit = '';
  let isChanged = false;
  const answeredAt = new Map(carried?.answeredAt);
  // The API does not return the exit, which is write-only, and times of packages may be of any clock.
  const note = (element, value) => {
    isChanged = true;
    if (/exit$/.test(element)) exit = value;
    const [, index] = /^cmi\\.interactions\\.(\\d+)\\.(?:learner_response|student_response|result)$/.exec(element) ?? [];
    if (index !== undefined && !answeredAt.has(index)) answeredAt.set(index, new Date().toISOString());
  };
  const interactionsOf = (interactions) => list(interactions, 250).map((one, index) => ({
    id: cut(one.id), type: cut(one.type, 40), description: cut(one.description),
    response: cut(one.learner_response ?? one.student_response), result: cut(one.result, 40), latency: duration(one.latency),
    at: answeredAt.get(String(index)) ?? launchData.answeredAt[index] ?? null,
  }));
  const snapshot = () => {
    const { cmi: now } = api.renderCMIToJSONObject();
    const status = is12 ? statusOf(now.core.lesson_status) : {
      completionStatus: oneOf(now.completion_status, completions, 'unknown'),
      successStatus: oneOf(now.success_status, successes, 'unknown'),
    };
    const progress = is12 ? null : number(now.progress_measure);
    return {
      ...status,
      progress: progress === null ? null : Math.min(1, Math.max(0, progress)),
      score: scoreOf(is12 ? now.core.score : now.score),
      location: cut(is12 ? now.core.lesson_location : now.location),
      suspendData: cut(now.suspend_data, 64000),
      exit: oneOf(exit, ['suspend', 'logout', 'normal', 'time-out'], ''),
      objectives: list(now.objectives, 100).map((one) => ({
        id: cut(one.id), score: scoreOf(one.score),
        ...(is12 ? statusOf(one.status) : {
          completionStatus: oneOf(one.completion_status, completions, 'unknown'),
          successStatus: oneOf(one.success_status, successes, 'unknown'),
        }),
      })),
      interactions: interactionsOf(now.interactions),
    };
  };
  const report = (finished) => {
    isChanged = false;
    carry();
    player.postMessage({ scorm: 1, data: snapshot(), finished }, '*');
  };
  api.on(is12 ? 'LMSSetValue' : 'SetValue', note);
  api.on(is12 ? 'LMSCommit' : 'Commit', () => report(false));
  api.on(is12 ? 'LMSFinish' : 'Terminate', () => report(true));
  const reportChange = () => { if (isChanged) report(false); };
  setInterval(reportChange, 15000);
  addEventListener('pagehide', () => { carry(); reportChange(); });
  addEventListener('visibilitychange', reportChange);
})();
`;
