import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { FileError, type Table, type TableRow } from './table.ts';

const delimiters = [',', ';', '\t', '|'] as const;
const sampleBytes = 65_536;
const sampledLines = 20;
// A quote that is never closed would make the rest of the file one cell.
const recordBytesMax = 4_000_000;

/** Reads a CSV file, whose encoding and separator are detected. */
export async function readCsv(path: string): Promise<Table> {
  const sample = await sampleOf(path);
  const encoding = bomOf(sample) ?? looksLikeUtf16(sample) ?? ((await isUtf8(path)) ? 'utf-8' : 'windows-1252');
  const text = new TextDecoder(encoding).decode(sample, { stream: true });
  // Excel names the separator in a first line of its own.
  const named = /^sep=(.)\r?\n/.exec(text);
  const delimiter = named?.[1] ?? detectDelimiter(text);
  return {
    format: { type: 'csv', encoding, delimiter },
    rows: rowsOf(path, { encoding, delimiter, skip: named ? 1 : 0 }),
  };
}

async function* rowsOf(
  path: string,
  { encoding, delimiter, skip }: { encoding: string; delimiter: string; skip: number },
): AsyncIterable<TableRow> {
  const parser = parse({
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: recordBytesMax,
    record_delimiter: ['\r\n', '\n', '\r'],
  });
  pipeline(Readable.from(decoded(path, encoding)), parser, () => {});
  let number = 0;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      number += 1;
      if (number > skip) yield { number, cells: cells.map(unescaped) };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const reason =
      error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE'
        ? 'a quote is not closed'
        : 'the line is not valid CSV';
    throw new FileError(`The file cannot be read after row ${number}: ${reason}`);
  } finally {
    parser.destroy();
  }
}

/** Text of a cell without the apostrophe that keeps spreadsheet programs from reading it as a formula, as in our exports. */
function unescaped(cell: string): string {
  return /^'[=+\-@\t\r\0]/.test(cell) ? cell.slice(1) : cell;
}

async function* decoded(path: string, encoding: string): AsyncIterable<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of createReadStream(path)) yield decoder.decode(chunk as Buffer, { stream: true });
  yield decoder.decode();
}

async function sampleOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sampleBytes), 0, sampleBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function bomOf(sample: Buffer): string | undefined {
  if (sample[0] === 0xff && sample[1] === 0xfe) return 'utf-16le';
  if (sample[0] === 0xfe && sample[1] === 0xff) return 'utf-16be';
  return sample[0] === 0xef && sample[1] === 0xbb && sample[2] === 0xbf ? 'utf-8' : undefined;
}

/** UTF-16 without a byte order mark: every other byte of the first characters is 0. */
function looksLikeUtf16(sample: Buffer): string | undefined {
  const begin = sample.subarray(0, 64);
  const zeros = (odd: number) => begin.filter((byte, index) => index % 2 === odd && byte === 0).length;
  if (begin.length < 8) return undefined;
  if (zeros(1) > begin.length / 4 && zeros(0) === 0) return 'utf-16le';
  return zeros(0) > begin.length / 4 && zeros(1) === 0 ? 'utf-16be' : undefined;
}

/** Reads the whole file: the first character that is not ASCII may be in its last line. */
async function isUtf8(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(path)) decoder.decode(chunk as Buffer, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return false;
    throw error;
  }
}

/** The separator that the first lines have most often in the same number, outside of quotes. */
function detectDelimiter(text: string): string {
  const lines = text
    .replaceAll(/"(?:[^"]|"")*"/g, '')
    .split(/\r\n|\n|\r/)
    .filter(Boolean)
    .slice(0, sampledLines);
  const scored = delimiters.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const [first = 0] = counts;
    const alike = counts.filter((count) => count === first).length;
    return { delimiter, score: first === 0 ? 0 : (alike / lines.length) * Math.min(first, 10) };
  });
  return scored.reduce((best, one) => (one.score > best.score ? one : best)).delimiter;
}
