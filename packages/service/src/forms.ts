import { PassThrough, type Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { FieldError, Operation } from '@tandem/contract';
import type { Request } from 'express';
import { ApiError, fail } from './api-error.ts';
import type { IncomingFile } from './handler.ts';
import { readFields } from './read-fields.ts';

/** A form that was read to its end: its fields, and what became of its file. */
export interface ReadForm<Received> {
  fields: unknown;
  received: Received;
}

// What a form needs beside its file; a body of nothing but small parts must not fill the memory.
const limits = { fields: 22, fieldNameSize: 100, fieldSize: 16_384, files: 2, parts: 22, headerPairs: 50 };
const fileField = 'file';

/**
 * Reads a multipart form as it arrives, in any order of its parts. The file goes to `receive` and is nowhere held whole;
 * when something is wrong with the rest, or the form breaks off, `discard` gets what `receive` made.
 * @throws ApiError 415 for no form, 400 for an unreadable or broken one, 422 for missing or wrong fields, and whatever
 * `receive` throws
 */
export async function readForm<Received>(
  request: Request,
  row: Operation,
  {
    receive,
    discard,
  }: {
    receive: (file: IncomingFile) => Promise<Received>;
    discard: (received: Received) => Promise<void>;
  },
): Promise<ReadForm<Received>> {
  if (!request.is('multipart/form-data'))
    throw new ApiError('wrong_content_type', 415, 'Send the request as multipart/form-data');
  const errors: FieldError[] = [];
  const given: Record<string, string> = {};
  let file: Promise<Received> | undefined;
  let incoming: Readable | undefined;
  const parser = parserOf(request);
  parser.on('file', (name, stream, filename, _encoding, contentType) => {
    if (name !== fileField || file) {
      errors.push({ field: name || fileField, message: 'Send one file, as the part named file' });
      return void stream.resume();
    }
    incoming = stream;
    const wanted = guarded(stream);
    file = receive({ stream: wanted, filename: filename ?? '', contentType });
    // What is left of a file that nobody wants must still pass, for the answer to reach the client.
    file.catch(() => wanted.destroy());
  });
  const known = Object.keys((row.form as NonNullable<Operation['form']>).shape);
  parser.on('field', (name, value, _isNameCut, isCut) => {
    if (!known.includes(name)) return;
    if (Object.hasOwn(given, name)) errors.push({ field: name, message: 'Is given twice' });
    if (isCut) errors.push({ field: name, message: `Must be at most ${limits.fieldSize} bytes` });
    given[name] = value;
  });
  parser.on('partsLimit', () => errors.push({ field: 'body', message: `Must have at most ${limits.parts} parts` }));

  const [read] = await Promise.allSettled([passed(request, parser)]);
  if (read.status === 'rejected') incoming?.destroy(read.reason as Error);
  const [received] = await Promise.allSettled([file]);
  const fields = readFields(row.form as NonNullable<Operation['form']>, given, errors);
  if (!file && !errors.length)
    errors.push({ field: fileField, message: 'Is required: send the file as a part of this name' });
  const isWhole = read.status === 'fulfilled' && received.status === 'fulfilled' && !errors.length;
  if (isWhole) return { fields, received: received.value as Received };
  if (received.status === 'fulfilled' && received.value !== undefined) await discard(received.value);
  if (read.status === 'rejected') throw fail('malformed_request');
  if (received.status === 'rejected') throw received.reason;
  throw fail('validation_failed', errors);
}

function parserOf(request: Request) {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] as string },
      limits,
      // A part is a file by its name, whatever it says of its type: a client may well send no filename.
      isPartAFile: (name) => name === fileField,
    });
  } catch {
    // No boundary, or one that is none.
    throw fail('malformed_request');
  }
}

/**
 * The parser's stream as one that keeps its error for whoever reads it later. Who ends it early ends only that: the
 * parser waits for ever on a stream of its own that is destroyed, and the rest of the file must still pass.
 */
function guarded(stream: Readable): Readable {
  const through = new PassThrough();
  through.on('error', () => {});
  stream.once('error', (error) => through.destroy(error));
  // After `pipe`, whose own listener pauses the stream.
  stream.pipe(through).once('close', () => stream.resume());
  return through;
}

/** Resolves when the parser has seen the end of the form; a request that breaks off ends its parts with an error. */
function passed(request: Request, parser: ReturnType<typeof parserOf>): Promise<void> {
  return new Promise((resolve, reject) => {
    const broken = () => reject(new Error('The request broke off'));
    parser.once('finish', () => resolve());
    parser.once('error', reject);
    request.once('aborted', broken).once('error', broken);
    request.pipe(parser);
  });
}
