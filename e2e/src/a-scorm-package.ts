import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';

/** A small SCORM package: a page with the calls that authoring tools make, and a file beside it for each kind of loading. */
export function aScormPackage(version: '1.2' | '2004'): Promise<Buffer> {
  const { zip, add } = aZip(version);
  add('content/index.html', page);
  add('content/second.html', page.replace('The package', 'The second page'));
  add('content/scripts/course.js', version === '1.2' ? course12 : course2004);
  add('shared/style.css', 'h1 { color: rgb(1, 2, 3) } body { font: 1rem sans-serif; margin: 1rem }');
  add('shared/data.json', '{"title":"Ready"}');
  zip.end();
  return buffer(zip.outputStream);
}

/** A package whose frames call each other, and the API through their parents. */
export function aPackageWithFrames(): Promise<Buffer> {
  const { zip, add } = aZip('1.2');
  add(
    'content/index.html',
    '<title>Package</title><script>LMS = parent.API; LMS.LMSInitialize(""); title = "Framed";</script><iframe title="inner" src="inner.html"></iframe>',
  );
  add(
    'content/inner.html',
    `<title>Inner</title><main><h1></h1><button>Complete</button></main><script>
document.querySelector('h1').textContent = parent.title;
document.querySelector('button').onclick = () => {
  let win = window;
  while (!win.API) win = win.parent;
  win.API.LMSSetValue('cmi.core.lesson_status', 'completed');
  parent.LMS.LMSFinish('');
};
</script>`,
  );
  zip.end();
  return buffer(zip.outputStream);
}

function aZip(version: '1.2' | '2004') {
  const zip = new yazl.ZipFile();
  const add = (name: string, content: string) => zip.addBuffer(Buffer.from(content), name);
  add('imsmanifest.xml', manifest(version));
  return { zip, add };
}

function manifest(version: '1.2' | '2004'): string {
  const is12 = version === '1.2';
  const adlcp = is12 ? 'http://www.adlnet.org/xsd/adlcp_rootv1p2' : 'http://www.adlnet.org/xsd/adlcp_v1p3';
  const schema = is12 ? '1.2' : '2004 4th Edition';
  return `<?xml version="1.0"?>
<manifest identifier="m" xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="${adlcp}">
  <metadata><schema>ADL SCORM</schema><schemaversion>${schema}</schemaversion></metadata>
  <organizations default="o"><organization identifier="o"><title>Selling</title>
    <item identifier="i" identifierref="r"><title>The first call</title></item></organization></organizations>
  <resources><resource identifier="r" type="webcontent" adlcp:${is12 ? 'scormtype' : 'scormType'}="sco" href="content/index.html"/></resources>
</manifest>`;
}

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Package</title><link rel="stylesheet" href="../shared/style.css"></head>
<body>
<main>
<h1>The package</h1>
<p id="state">Loading</p>
<p>Place: <span id="place"></span>, data: <span id="kept"></span>, entry: <span id="entry"></span></p>
<a href="second.html">Second page</a> <button id="next">Next page</button> <button id="leave">Leave</button>
<button id="wrong">Answer wrongly</button> <button id="right">Answer rightly</button>
</main>
<script src="scripts/course.js"></script>
</body>
</html>`;

const shared = `
const byId = (id) => document.getElementById(id);
const on = (id, work) => byId(id).addEventListener('click', work);
const load = async () => {
  const response = await fetch('../shared/data.json');
  byId('state').textContent = (await response.json()).title;
};
`;

// The search of the SCORM 1.2 specification, which begins in the window of the page.
const course12 = `${shared}
const find = (win) => {
  let tries = 0;
  while (win.API == null && win.parent != null && win.parent != win && tries++ < 7) win = win.parent;
  return win.API;
};
const api = find(window);
const get = (name) => api.LMSGetValue(name);
const set = (name, value) => { if (api.LMSSetValue(name, value) !== 'true') throw new Error(name + ': ' + api.LMSGetLastError()); };
if (String(api.LMSInitialize('')) !== 'true') throw new Error('LMSInitialize');
byId('place').textContent = get('cmi.core.lesson_location');
byId('kept').textContent = get('cmi.suspend_data');
byId('entry').textContent = get('cmi.core.entry');
on('next', () => {
  set('cmi.core.lesson_location', 'page-2');
  set('cmi.suspend_data', '{"page":2}');
  set('cmi.core.lesson_status', 'incomplete');
  api.LMSCommit('');
});
on('leave', () => { set('cmi.core.exit', 'suspend'); set('cmi.core.session_time', '00:00:05'); api.LMSFinish(''); });
const answer = (response, result, score, status) => {
  set('cmi.interactions.0.id', 'question-1');
  set('cmi.interactions.0.type', 'choice');
  set('cmi.interactions.0.student_response', response);
  set('cmi.interactions.0.result', result);
  set('cmi.interactions.0.latency', '00:00:04');
  set('cmi.core.score.raw', score);
  set('cmi.core.score.min', '0');
  set('cmi.core.score.max', '100');
  set('cmi.core.lesson_status', status);
  api.LMSFinish('');
};
on('wrong', () => answer('b', 'wrong', '40', 'failed'));
on('right', () => answer('a', 'correct', '90', 'passed'));
load();
`;

// The search of the SCORM 2004 specification, which looks in the parents of the page only.
const course2004 = `${shared}
const scan = (win) => {
  let tries = 0;
  while (win.API_1484_11 == null && win.parent != null && win.parent != win && tries++ < 500) win = win.parent;
  return win.API_1484_11;
};
const api = window.parent && window.parent != window ? scan(window.parent) : null;
const get = (name) => api.GetValue(name);
const set = (name, value) => { if (api.SetValue(name, value) !== 'true') throw new Error(name + ': ' + api.GetLastError()); };
if (String(api.Initialize('')) !== 'true') throw new Error('Initialize');
byId('place').textContent = get('cmi.location');
byId('kept').textContent = get('cmi.suspend_data');
byId('entry').textContent = get('cmi.entry');
on('next', () => {
  set('cmi.location', 'page-2');
  set('cmi.suspend_data', '{"page":2}');
  set('cmi.completion_status', 'incomplete');
  set('cmi.progress_measure', '0.5');
  api.Commit('');
});
on('leave', () => { set('cmi.exit', 'suspend'); set('cmi.session_time', 'PT5S'); api.Terminate(''); });
const answer = (response, result, score, status) => {
  const index = get('cmi.interactions._count');
  set('cmi.interactions.' + index + '.id', 'question-1');
  set('cmi.interactions.' + index + '.type', 'choice');
  set('cmi.interactions.' + index + '.learner_response', response);
  set('cmi.interactions.' + index + '.result', result);
  set('cmi.interactions.' + index + '.latency', 'PT4S');
  set('cmi.score.scaled', score);
  set('cmi.completion_status', 'completed');
  set('cmi.success_status', status);
  set('cmi.exit', 'normal');
  api.Terminate('');
};
on('wrong', () => answer('b', 'incorrect', '0.4', 'failed'));
on('right', () => answer('a', 'correct', '0.9', 'passed'));
load();
`;
