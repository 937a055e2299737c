import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { callerHeader, createCallerSigner } from '@tandem/caller';
import { files } from '@tandem/files-contract';
import { everyOperation, until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../../files.test-service.ts';

let service: TestFiles;
let server: Server;
const maxBytes = 100_000;
const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

beforeAll(async () => {
  service = await startFiles({ FILES_MAX_BYTES: String(maxBytes) });
  server = createServer(service.app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server?.close();
  await service?.close();
});

const file = (content: Buffer | string, more: object = {}) => ({ form: { file: { content, ...more } } });

/** Sends the raw bytes of a form; `cutAt` closes the connection after that many bytes. */
async function sendRaw(body: string | Buffer, { contentType = 'multipart/form-data; boundary=b', cutAt = 0 } = {}) {
  const { caller } = service.as();
  const path = '/v1/files/upload';
  const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const bytes = Buffer.from(body);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${callerHeader}: ${signer.sign(caller, 'POST', path)}\r\nContent-Type: ${contentType}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
  );
  socket.write(cutAt ? bytes.subarray(0, cutAt) : bytes);
  if (cutAt) {
    await until('the beginning is in the store', async () =>
      (await service.stored()).some((path) => path.includes('incoming')),
    );
    socket.destroy();
  }
  await new Promise((resolve) => socket.once('close', resolve));
  const [head = '', json = ''] = answer.split('\r\n\r\n', 2);
  return { status: Number(head.split(' ')[1]), body: json && JSON.parse(json), caller };
}

const part = (name: string, content: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;

everyOperation(files, () => service);

describe('an upload', () => {
  it('returns its record, is stored unchanged, and emits file.uploaded', async () => {
    const tenant = service.as();
    const content = randomBytes(50_000);
    const { status, body, data, headers } = await tenant.uploadFile({
      form: {
        fields: { entityType: 'lead', entityId: 'k3VqPz81RtLm0WcY' },
        file: { content, filename: 'Angebot für Ada.pdf', contentType: 'application/pdf' },
      },
    });
    expect([status, body.message, headers.etag]).toEqual([201, 'File uploaded', expect.stringMatching(/^"1-/)]);
    expect(data).toEqual({
      id: expect.stringMatching(/^\d+$/),
      filename: 'Angebot für Ada.pdf',
      contentType: 'application/pdf',
      size: 50_000,
      entityType: 'lead',
      entityId: 'k3VqPz81RtLm0WcY',
      tags: [],
      status: 'available',
      allowedTransitions: [],
      quarantineReason: null,
      scan: null,
      legalHold: false,
      ocrStatus: null,
      holdReason: null,
      retainUntil: null,
      deleteAt: null,
      versionId: expect.stringMatching(/^\d+$/),
      versionNumber: 1,
      checksumSha256: createHash('sha256').update(content).digest('hex'),
      detectedContentType: null,
      uploadedBy: '1',
      teamId: null,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await tenant.getFile({ params: { id: data.id } })).data).toEqual(data);
    const event = await until('the event is there', () =>
      service.events.find((one) => one.name === 'file.uploaded' && (one.record as { id: string }).id === data.id),
    );
    expect(event.data).toEqual({ fileId: data.id });
  });

  it('accepts entityType and entityId together, alone or not at all', async () => {
    const tenant = service.as();
    const upload = async (fields: Record<string, string>) =>
      (await tenant.uploadFile({ form: { fields, file: { content: 'x' } } })).data;
    expect(await upload({ entityType: 'lead' })).toMatchObject({ entityType: 'lead', entityId: null });
    expect(await upload({ entityId: 'a' })).toMatchObject({ entityType: null, entityId: 'a' });
    expect(await upload({})).toMatchObject({ entityType: null, entityId: null });
  });

  it('records the declared and the detected content type', async () => {
    const { data } = await service.as().uploadFile(file(png, { filename: 'a.txt', contentType: 'text/plain' }));
    expect(data).toMatchObject({ contentType: 'text/plain', detectedContentType: 'image/png', status: 'available' });
  });

  it('stores a program as quarantined, and does not serve it', async () => {
    const tenant = service.as();
    const program = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]);
    const { data } = await tenant.uploadFile(
      file(program, { filename: 'invoice.pdf', contentType: 'application/pdf' }),
    );
    expect(data.status).toBe('quarantined');
    const link = await tenant.getFileDownload({ params: { id: data.id } });
    expect([link.status, link.body.code]).toEqual([409, 'not_available']);
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\offer.doc', 'offer.doc'],
    ['', 'file'],
    ['a/..', 'file'],
    ['a\u0007b.txt', 'ab.txt'],
    ['\u202egnp.exe', 'gnp.exe'],
    ['\u200ea\u200fb\u202ac\u202dd\u2066e\u2069.txt', 'abcde.txt'],
  ])('named %j is stored as %j', async (filename, called) => {
    const body = `${part('file', 'x', `; filename="${filename}"`)}--b--\r\n`;
    expect((await sendRaw(body)).body.data.filename).toBe(called);
  });

  it('ignores unknown and repeated form fields', async () => {
    const names = ['constructor', '__proto__', 'tag', 'tag', ...Array.from({ length: 16 }, (_, n) => `field${n}`)];
    const others = names.map((name) => part(name, 'x')).join('');
    const { status, body } = await sendRaw(`${others}${part('entityType', 'lead')}${part('file', 'x')}--b--\r\n`);
    expect([status, body.data?.entityType]).toEqual([201, 'lead']);
  });

  it('accepts a quoted boundary', async () => {
    const { status } = await sendRaw(`${part('file', 'x', '; filename="a"')}--b--\r\n`, {
      contentType: 'multipart/form-data; boundary="b"',
    });
    expect(status).toBe(201);
  });

  it('is stored once per Idempotency-Key, and another file with the same key is rejected', async () => {
    const tenant = service.as();
    const headers = { 'idempotency-key': 'k' };
    const first = await tenant.uploadFile({ ...file('one'), headers });
    const before = (await service.stored()).length;
    const again = await tenant.uploadFile({ ...file('one'), headers });
    const other = await tenant.uploadFile({ ...file('two'), headers });
    expect([again.status, again.data.id, again.headers['idempotent-replayed']]).toEqual([201, first.data.id, 'true']);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch']);
    expect((await service.stored()).length).toBe(before);
  });

  it.each([
    ['another name', { filename: 'other.txt' }],
    ['another content type', { contentType: 'text/csv' }],
  ])('with %s is another upload, so the same Idempotency-Key is rejected', async (_, change) => {
    const tenant = service.as();
    const headers = { 'idempotency-key': 'k' };
    const sent = { filename: 'one.txt', contentType: 'text/plain' };
    const first = await tenant.uploadFile({ ...file('one', sent), headers });
    const other = await tenant.uploadFile({ ...file('one', { ...sent, ...change }), headers });
    const again = await tenant.uploadFile({ ...file('one', sent), headers });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch']);
    expect([again.status, again.data.id]).toEqual([201, first.data.id]);
  });
});

describe('a rejected upload leaves no bytes', () => {
  const expectNoNewObjects = async (work: () => Promise<unknown>) => {
    const before = await service.stored();
    await work();
    expect(await service.stored()).toEqual(before);
  };

  it('when it has no file', () =>
    expectNoNewObjects(async () => {
      const { status, body } = await service.as().uploadFile({ form: { fields: { entityType: 'lead' } } });
      expect([status, body.errors?.[0]?.field]).toEqual([422, 'file']);
    }));

  it('when a field is invalid, even after the file', () =>
    expectNoNewObjects(async () => {
      const request = { form: { fields: { entityType: 'x'.repeat(65) }, file: { content: 'x' } } };
      const { status, body } = await service.as().uploadFile(request);
      expect([status, body.errors]).toEqual([422, [{ field: 'entityType', message: 'Must be at most 64 characters' }]]);
    }));

  it.each([maxBytes + 1, maxBytes * 50])('when the file is too large: %d bytes', (size) =>
    expectNoNewObjects(async () => {
      const { status, body } = await service.as().uploadFile(file(Buffer.alloc(size)));
      expect([status, body.errors]).toEqual([413, [{ field: 'file', message: `Must be at most ${maxBytes} bytes` }]]);
    }),
  );

  it('when the service fails before it stores the file', () =>
    expectNoNewObjects(async () => {
      await service.sql('ALTER TABLE platform.job RENAME TO job_away');
      const { status } = await service.as().uploadFile(file(Buffer.alloc(maxBytes * 50)));
      await service.sql('ALTER TABLE platform.job_away RENAME TO job');
      expect(status).toBe(500);
    }));

  it('when there are two files', () =>
    expectNoNewObjects(async () => {
      const one = part('file', 'x', '; filename="a"');
      const { status, body } = await sendRaw(`${one}${one}--b--\r\n`);
      expect([status, body.errors[0].field]).toEqual([422, 'file']);
    }));

  it('when the connection is closed during the upload', () =>
    expectNoNewObjects(async () => {
      const body = `${part('file', 'x'.repeat(90_000), '; filename="a"')}--b--\r\n`;
      const { caller } = await sendRaw(body, { cutAt: 70_000 });
      await until('the bytes are gone', async () =>
        (await service.stored()).every((path) => !path.includes('incoming')),
      );
      expect((await service.as(caller).listFiles()).body.pagination?.total).toBe(0);
    }));

  it('when the form has no end', () =>
    expectNoNewObjects(async () => {
      const { status, body } = await sendRaw(part('file', 'x', '; filename="a"'));
      expect([status, body.code]).toEqual([400, 'malformed_request']);
    }));

  it.each([
    ['multipart/form-data', 400],
    ['application/json', 415],
  ])('when its type is %s', async (contentType, status) => {
    await expectNoNewObjects(async () => expect((await sendRaw('{}', { contentType })).status).toBe(status));
  });
});
