import { aManifest, aPackage, aZip, withRecord } from '../../../scorm.test-service.ts';
import { startTraining, type TrainingService } from '../../../training.test-service.ts';
import { aCourse } from '../../../training-builders.test-service.ts';

let service: TrainingService;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

type Tenant = ReturnType<TrainingService['as']>;

async function create(tenant: Tenant, zip: Buffer, fields: object = {}) {
  const fileId = service.files.add('available', { content: zip });
  const courseId = await aCourse(tenant);
  const body = { title: 'Package', type: 'scorm', fileId, ...fields };
  return { courseId, fileId, reply: await tenant.createLesson({ params: { id: courseId }, body }) };
}

const page = '<html></html>';

describe.each(['1.2', '2004'] as const)('a package of SCORM %s', (version) => {
  it('is recognized, with its title and the score that passes', async () => {
    const { reply } = await create(service.as(), await aPackage(version, { masteryScore: 75 }));
    expect([reply.status, reply.data.scorm, reply.data.completion.rule]).toEqual([
      201,
      { version, title: 'Golf & sales', masteryScore: 75 },
      'package',
    ]);
  });

  it('may have a manifest in UTF-16, a base folder, parameters and a file with a large name', async () => {
    const text = aManifest(version, { href: 'start.html?a=1', parameters: 'b=2' }).replace(
      '<resources>',
      '<resources xml:base="content/">',
    );
    const manifest = Buffer.from(`\uFEFF${text.replace('UTF-8', 'UTF-16')}`, 'utf16le');
    const { reply } = await create(
      service.as(),
      await aZip({ 'imsmanifest.xml': manifest, 'content/start.html': page, [`${'x'.repeat(390)}.html`]: page }),
    );
    expect(reply.status).toBe(201);
  });
});

const doctype = (declared: string) =>
  aManifest('1.2').replace('<manifest', `<!DOCTYPE manifest [${declared}]><manifest`);
const bomb = '<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">';

const hostile: [string, () => Promise<Buffer>, RegExp][] = [
  ['that is no zip file', async () => Buffer.from('nothing'), /not a zip file/],
  ['that is empty', () => aZip({}), /no imsmanifest.xml/],
  ['without a manifest', () => aZip({ 'index.html': page }), /no imsmanifest.xml/],
  ['with the manifest in a folder', () => aZip({ 'a/imsmanifest.xml': aManifest('1.2') }), /no imsmanifest.xml/],
  ['without its first page', () => aZip({ 'imsmanifest.xml': aManifest('1.2') }), /no file index.html/],
  ['with a manifest that is no XML', () => aZip({ 'imsmanifest.xml': 'x' }), /not well-formed/],
  ['with a broken manifest', () => aZip({ 'imsmanifest.xml': '<manifest><a></manifest>' }), /not well-formed/],
  ['with entities', () => aZip({ 'imsmanifest.xml': doctype(bomb) }), /document type/],
  [
    'with an external entity',
    () => aZip({ 'imsmanifest.xml': doctype('<!ENTITY x SYSTEM "file:///etc/passwd">') }),
    /document type/,
  ],
  ['with deep XML', () => aZip({ 'imsmanifest.xml': '<a>'.repeat(100_000) }), /nested too deeply/],
  [
    'of another standard',
    () => aZip({ 'imsmanifest.xml': aManifest('1.2').replace('>1.2<', '>AICC 4<') }),
    /not SCORM/,
  ],
  [
    'with two SCOs',
    () =>
      aZip({
        'imsmanifest.xml': aManifest('1.2').replace('</organization>', '<item identifierref="res"/></organization>'),
      }),
    /2 SCOs/,
  ],
  ['that starts with a script', () => aPackage('1.2', { href: 'javascript:alert(1)' }), /inside the package/],
  ['that starts at another host', () => aPackage('1.2', { href: 'https://example.com/' }), /inside the package/],
  ['that starts at a host without a scheme', () => aPackage('1.2', { href: '//example.com/x' }), /inside the package/],
  ['that starts outside', () => aPackage('1.2', { href: '../../v1/leads' }), /inside the package/],
  ['that starts outside, encoded', () => aPackage('1.2', { href: '%2e%2e/%2e%2e/x' }), /no file/],
  ['with a backslash in its start', () => aPackage('1.2', { href: '..\\x.html' }), /inside the package/],
  ['with a path that leads out', () => renamed('aa/bb/evil', '../../evil'), /not a path inside/],
  ['with an absolute path', () => renamed('aetc/passwd', '/etc/passwd'), /not a path inside/],
  ['with a path of Windows', () => renamed('cc/evil.exe', 'c:\\evil.exe'), /not a path inside/],
  ['with a file twice', () => renamed('twice-a.txt', 'twice-b.txt', { 'twice-b.txt': 'b' }), /two files/],
  [
    'with a symbolic link',
    () => aPackage('1.2', { files: { link: { content: '/etc/passwd', mode: 0o120777 } } }),
    /symbolic link/,
  ],
  ['with a device', () => aPackage('1.2', { files: { device: { content: '', mode: 0o020666 } } }), /not a plain file/],
  [
    'that is encrypted',
    async () => withRecord(await aPackage('1.2'), 'index.html', (record) => record.writeUInt16LE(1, 8)),
    /encrypted/,
  ],
  [
    'compressed by another method',
    async () => withRecord(await aPackage('1.2'), 'index.html', (record) => record.writeUInt16LE(14, 10)),
    /other than deflate/,
  ],
  [
    'with a bomb of one byte',
    () => aPackage('1.2', { files: { 'zeros.bin': Buffer.alloc(20 * 1024 * 1024) } }),
    /zip bomb/,
  ],
  [
    'that states a smaller size than it has',
    async () =>
      withRecord(
        await aPackage('1.2', { files: { 'zeros.bin': Buffer.alloc(20 * 1024 * 1024) } }),
        'zeros.bin',
        (record) => record.writeUInt32LE(1_000, 24),
      ),
    /larger than the zip file states/,
  ],
  [
    'that states too large a size',
    async () =>
      withRecord(await aPackage('1.2'), 'index.html', (record) => record.writeUInt32LE(500 * 1024 * 1024, 24)),
    /larger than 400 MB/,
  ],
  [
    'whose files share their bytes',
    async () => {
      const zip = await aPackage('1.2', { files: { 'a.bin': { content: Buffer.alloc(5_000, 1), compress: false } } });
      return withRecord(zip, 'index.html', (record) => {
        record.writeUInt32LE(5_000, 20);
        record.writeUInt32LE(5_000, 24);
      });
    },
    /overlap/,
  ],
  [
    'with a damaged file',
    async () => {
      const zip = await aPackage('1.2', { files: { 'a.txt': { content: 'intact content', compress: false } } });
      zip.write('broken', zip.indexOf('intact'));
      return zip;
    },
    /damaged/,
  ],
  [
    'with too many files',
    () =>
      aZip(
        Object.fromEntries(
          Array.from({ length: 5_001 }, (_, index) => [`f${index}`, { content: '', compress: false }]),
        ),
      ),
    /more than 5000 files/,
  ],
  ['that is cut off', async () => (await aPackage('1.2')).subarray(0, 300), /not a zip file/],
];

/** A package in which a file has another name, which a library would not write. */
async function renamed(from: string, to: string, files: Record<string, string> = {}): Promise<Buffer> {
  const zip = await aPackage('1.2', { files: { [from]: 'a', ...files } });
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}

it.each(hostile)('a file %s is refused, and nothing is stored', async (_, zip, message) => {
  const tenant = service.as();
  const { courseId, reply } = await create(tenant, await zip());
  expect([reply.status, reply.body.errors]).toEqual([
    422,
    [{ field: 'fileId', message: expect.stringMatching(message) }],
  ]);
  expect((await tenant.listLessons({ params: { id: courseId }, query: {} })).data).toEqual([]);
});

it('reads packages of others while one tenant sends hostile files', async () => {
  const bad = await aZip({ 'imsmanifest.xml': '<a>'.repeat(500_000), 'zeros.bin': Buffer.alloc(1_000) });
  const hostileTenant = service.as();
  const refused = Promise.all(Array.from({ length: 6 }, () => create(hostileTenant, bad)));
  const { reply } = await create(service.as(), await aPackage('2004'));
  expect(reply.status).toBe(201);
  expect((await refused).map((one) => one.reply.status)).toEqual([422, 422, 422, 422, 422, 422]);
});

describe('a lesson with a package', () => {
  it('needs a file, and a completion rule of packages', async () => {
    const tenant = service.as();
    const courseId = await aCourse(tenant);
    const send = (body: object) =>
      tenant.createLesson({ params: { id: courseId }, body: { title: 'Package', type: 'scorm', ...body } });
    expect((await send({})).body.errors).toEqual([
      { field: 'fileId', message: 'Is required for a lesson of the type scorm' },
    ]);
    const fileId = service.files.add('available', { content: await aPackage('1.2') });
    expect((await send({ fileId, completion: { rule: 'view' } })).body.errors?.[0]?.field).toBe('completion.rule');
    const text = await send({ type: 'text', completion: { rule: 'package' } });
    expect(text.body.errors?.[0]?.field).toBe('completion.rule');
    const quiz = await send({ fileId, completion: { rule: 'quiz', passScore: 60, maxAttempts: 2 } });
    expect([quiz.status, quiz.data.completion.maxAttempts]).toEqual([201, 2]);
  });

  it('gets another package with another file, and keeps its own when a file is refused', async () => {
    const tenant = service.as();
    const { reply } = await create(tenant, await aPackage('1.2'));
    const params = { id: reply.data.id };
    const bad = await tenant.updateLesson({
      params,
      body: { fileId: service.files.add('available', { content: Buffer.from('x') }) },
    });
    expect([bad.status, (await tenant.getLesson({ params })).data.scorm.version]).toEqual([422, '1.2']);
    const fileId = service.files.add('available', { content: await aPackage('2004', { title: 'New' }) });
    const changed = await tenant.updateLesson({ params, body: { fileId } });
    expect(changed.data.scorm).toEqual({ version: '2004', title: 'New', masteryScore: null });
    const text = await tenant.updateLesson({ params, body: { type: 'text' } });
    expect([text.data.scorm, text.data.completion.rule]).toEqual([null, 'view']);
    const again = await tenant.updateLesson({ params, body: { type: 'scorm' } });
    expect(again.data.scorm.title).toBe('New');
  });

  it('is copied with its course', async () => {
    const tenant = service.as();
    const { courseId } = await create(tenant, await aPackage('1.2'));
    const copy = (await tenant.duplicateCourse({ params: { id: courseId }, body: {} })).data.id;
    const [lesson] = (await tenant.listLessons({ params: { id: copy }, query: {} })).data;
    expect((await tenant.getLesson({ params: { id: lesson.id } })).data.scorm.title).toBe('Golf & sales');
  });
});
