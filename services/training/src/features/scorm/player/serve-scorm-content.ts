import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { ServiceCallError } from '@tandem/client/internal';
import type { ByteRange } from '@tandem/contract';
import { asService, fail } from '@tandem/service';
import type { scorm } from '@tandem/training-contract';
import { contentType } from 'mime-types';
import type { Handler, Tools } from '../../../handler.ts';
import { readScormLink, type ScormLink, scopeOf } from '../links.ts';
import { withRuntime } from './with-runtime.ts';

/**
 * The policy of everything in a package. Its pages are on the origin of the API, so the sandbox takes that origin from them,
 * however they are opened: no cookie or storage of the API, and no response that needs a session. They load from this
 * server only, so what a learner enters cannot be sent to another host. Scripts and styles inside of pages are what
 * authoring tools write.
 */
const policyOf = (sandbox: string) =>
  [
    `sandbox ${sandbox}`,
    "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'",
    "form-action 'none'",
    "base-uri 'self'",
  ].join('; ');

// A larger page would be in memory as a whole.
const pageBytesMax = 5 * 1024 * 1024;

interface Entry {
  fileId: number;
  checksum: string;
  start: number;
  compressedSize: number;
  size: number;
  isDeflated: boolean;
}

export const serveScormContent =
  (tools: Tools): Handler<typeof scorm.serveScormContent> =>
  async ({ params: { token, path }, caller, inTenant }) => {
    const link = readScormLink(tools, token);
    const entry = await inTenant(scopeOf(link), async ({ tx }) => {
      const [found] = await tx.sql<Entry>`
        SELECT file_id AS "fileId", checksum_sha256 AS checksum, start, compressed_size AS "compressedSize", size,
          is_deflated AS "isDeflated"
        FROM scorm_entry JOIN scorm_package ON scorm_package.id = package_id
        WHERE package_id = ${link.packageId} AND path = ${path}`;
      return found;
    });
    if (!entry) throw fail('not_found');
    const contentPolicy = policyOf(tools.player.sandbox);
    const open = (range?: ByteRange) => openEntry(tools, { link, entry, caller }, range);
    const type = contentType(path.slice(path.lastIndexOf('/') + 1)) || 'application/octet-stream';
    const isPage = /^(text\/html|application\/xhtml\+xml)/.test(type);
    if (isPage && entry.size <= pageBytesMax) {
      const body = withRuntime(await bytesOf(await open()), `/v1/public/scorm/${token}/runtime`);
      return { body, type, contentPolicy };
    }
    const tag = `${entry.checksum}-${entry.start}`;
    return { body: '', ranged: { tag, open }, type, length: entry.size, contentPolicy };
  };

/** Opens a file of a package, or a part of it. Only the bytes of that file are read. */
async function openEntry(
  { peers }: Tools,
  { link, entry, caller }: { link: ScormLink; entry: Entry; caller: Parameters<typeof asService>[0] },
  range?: ByteRange,
): Promise<Readable> {
  const { fileId, checksum, compressedSize, size, isDeflated } = entry;
  if (size === 0) return Readable.from([]);
  const wanted = range ?? { start: 0, end: size - 1 };
  // A stored file can be read from its middle, such as a video; a compressed one is unpacked from its beginning.
  const from = isDeflated ? 0 : wanted.start;
  const length = isDeflated ? compressedSize : wanted.end - wanted.start + 1;
  const { body } = await peers.files
    .readFilePart({
      params: { id: fileId },
      query: { start: Number(entry.start) + from, length, checksum },
      as: { ...asService(caller), ...scopeOf(link) },
    })
    .catch((error: unknown) => {
      if (error instanceof ServiceCallError && (error.status === 404 || error.status === 409))
        throw fail('package_unavailable');
      throw error;
    });
  return isDeflated ? unpacked(body as Readable, wanted) : (body as Readable);
}

/** A part of a compressed file. More bytes than the file had when it was checked are never unpacked. */
function unpacked(packed: Readable, { start, end }: ByteRange): Readable {
  const inflate = createInflateRaw();
  packed.on('error', (error) => inflate.destroy(error));
  packed.pipe(inflate);
  return Readable.from(
    (async function* () {
      let at = 0;
      try {
        for await (const chunk of inflate as AsyncIterable<Buffer>) {
          const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
          at += chunk.length;
          if (part.length) yield part;
          if (at > end) return;
        }
      } finally {
        packed.destroy();
      }
    })(),
    { objectMode: false },
  );
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
