import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { scormLimits } from '@tandem/training-contract';
import yauzl from 'yauzl';
import { launchPath, type Manifest, readManifest } from './manifest.ts';
import { PackageError } from './package-error.ts';

/** Where a file is in a zip file. */
export interface PackageEntry {
  path: string;
  start: number;
  compressedSize: number;
  size: number;
  isDeflated: boolean;
}

export interface ReadPackage extends Manifest {
  entries: PackageEntry[];
}

const manifestName = 'imsmanifest.xml';
const manifestBytesMax = 2 * 1024 * 1024;
// Deflate reaches 1:1000 with one repeated byte. Texts and pictures stay below 1:100.
const ratioMax = 200;
const ratioBytesMin = 1024 * 1024;
const mb = 1024 * 1024;
const symbolicLink = 0o120000;
const plainFile = 0o100000;
const folderType = 0o040000;

type Zip = yauzl.ZipFile;

/**
 * Reads a SCORM package: its names and sizes first, then every byte, so that a file whose directory lies is refused too.
 * @throws PackageError for a file that is not a package, or a hostile one
 */
export async function readPackage(path: string): Promise<ReadPackage> {
  const zip = await promisify<string, yauzl.Options, Zip>(yauzl.open)(path, {
    lazyEntries: true,
    autoClose: false,
    validateEntrySizes: true,
    strictFileNames: true,
  }).catch(() => {
    throw new PackageError('The file is not a zip file');
  });
  try {
    const found = await directoryOf(zip);
    const entries: PackageEntry[] = [];
    let manifest: Manifest | undefined;
    for (const [name, entry] of found) {
      const isManifest = name === manifestName;
      const content = await readEntry(zip, entry, isManifest);
      if (isManifest) manifest = readManifest(textOf(content));
      const start = await startOf(zip, entry);
      const { compressedSize, uncompressedSize: size } = entry;
      entries.push({ path: name, start, compressedSize, size, isDeflated: entry.compressionMethod === 8 });
    }
    if (!manifest)
      throw new PackageError('The file has no imsmanifest.xml in its first folder, so it is no SCORM package');
    const launched = launchPath(manifest.launch);
    if (!found.has(launched))
      throw new PackageError(`The package has no file ${launched.slice(0, 200)}, which it launches`);
    return { ...manifest, entries };
  } finally {
    zip.close();
  }
}

/** Reads the central directory, and refuses names and sizes that no package needs. */
async function directoryOf(zip: Zip): Promise<Map<string, yauzl.Entry>> {
  const found = new Map<string, yauzl.Entry>();
  const seen = new Set<string>();
  let unpacked = 0;
  let packed = 0;
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: yauzl.Entry) => {
      try {
        const name = nameOf(entry, seen);
        unpacked += entry.uncompressedSize;
        packed += entry.compressedSize;
        checkSizes(entry, { unpacked, packed, fileSize: zip.fileSize });
        if (name) found.set(name, entry);
        if (seen.size > scormLimits.entries)
          throw new PackageError(`The package has more than ${scormLimits.entries} files`);
        zip.readEntry();
      } catch (error) {
        reject(error);
      }
    });
    zip.on('end', () => resolve());
    zip.on('error', (error: Error) => reject(directoryError(error)));
    zip.readEntry();
  });
  return found;
}

function directoryError({ message }: Error): PackageError {
  if (/absolute path|invalid relative path|invalid characters/.test(message))
    return new PackageError('The package has a file whose name is not a path inside the package');
  return new PackageError('The file is a damaged zip file');
}

/** The name of a file; undefined for a folder. */
function nameOf(entry: yauzl.Entry, seen: Set<string>): string | undefined {
  const { fileName: name, generalPurposeBitFlag: flags, compressionMethod: method } = entry;
  const shown = `“${name.slice(0, 100)}”`;
  if (flags & 0x41) throw new PackageError(`${shown} is encrypted; save the package without a password`);
  if (method !== 0 && method !== 8) throw new PackageError(`${shown} is compressed by a method other than deflate`);
  if (name.length > scormLimits.pathChars)
    throw new PackageError(`The package has a file name with more than ${scormLimits.pathChars} characters`);
  const type = (entry.externalFileAttributes >>> 16) & 0o170000;
  if (type === symbolicLink) throw new PackageError(`${shown} is a symbolic link; save the file itself`);
  if (type !== 0 && type !== plainFile && type !== folderType) throw new PackageError(`${shown} is not a plain file`);
  const isFolder = name.endsWith('/');
  const segments = (isFolder ? name.slice(0, -1) : name).split('/');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (segments.some((one) => one === '' || one === '.' || one === '..') || /[\u0000-\u001f]/.test(name))
    throw new PackageError('The package has a file whose name is not a path inside the package');
  const normal = name.normalize('NFC');
  if (seen.has(normal)) throw new PackageError(`The package has two files with the name ${shown}`);
  seen.add(normal);
  return isFolder ? undefined : name;
}

function checkSizes(
  { uncompressedSize, compressedSize }: yauzl.Entry,
  { unpacked, packed, fileSize }: { unpacked: number; packed: number; fileSize: number },
): void {
  if (unpacked > scormLimits.unpackedBytes)
    throw new PackageError(`The unpacked package is larger than ${scormLimits.unpackedBytes / mb} MB`);
  if (uncompressedSize > ratioBytesMin && uncompressedSize > compressedSize * ratioMax)
    throw new PackageError(`The package has a file that is compressed more than 1:${ratioMax}, as in a zip bomb`);
  // Files that share their bytes, as in a zip bomb, have more bytes in all than the zip file.
  if (packed > fileSize) throw new PackageError('The package has files that overlap, as in a zip bomb');
}

/** Reads the content of a file to its end, and returns it if it is kept. The library refuses another size than declared. */
async function readEntry(zip: Zip, entry: yauzl.Entry, isKept: boolean): Promise<Buffer> {
  if (isKept && entry.uncompressedSize > manifestBytesMax)
    throw new PackageError(`imsmanifest.xml is larger than ${manifestBytesMax / mb} MB`);
  const kept: Buffer[] = [];
  let sum = 0;
  try {
    const stream = await promisify(zip.openReadStream.bind(zip) as OpenStream)(entry);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum);
      if (isKept) kept.push(chunk);
    }
  } catch {
    throw damaged(entry);
  }
  if (sum !== entry.crc32) throw damaged(entry);
  return Buffer.concat(kept);
}

async function startOf(zip: Zip, entry: yauzl.Entry): Promise<number> {
  const read = promisify(zip.readLocalFileHeader.bind(zip) as never as ReadHeader);
  return (await read(entry, { minimal: true })).fileDataStart;
}

function damaged({ fileName }: yauzl.Entry): PackageError {
  return new PackageError(`“${fileName.slice(0, 100)}” is damaged, or larger than the zip file states`);
}

type OpenStream = (entry: yauzl.Entry, done: (error: Error | null, stream: NodeJS.ReadableStream) => void) => void;
type ReadHeader = (
  entry: yauzl.Entry,
  options: { minimal: true },
  done: (error: Error | null, header: { fileDataStart: number }) => void,
) => void;

/** Manifests are UTF-8 or, with a byte order mark, UTF-16. */
function textOf(content: Buffer): string {
  const [first, second] = content;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(content);
}
