import { PassThrough, type Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { FieldError, Operation, Warning } from '@tandem/contract';
import type { Request } from 'express';
import { ApiError, fail } from './api-error.ts';
import type { IncomingFile, SentAs } from './handler.ts';
import { readFields } from './read-fields.ts';
import { fieldWarnings } from './read-request.ts';

/** A completely parsed form: its fields, and the result of receiving its file. */
export interface ReadForm<Received> {
  fields: unknown;
  received: Received;
  /** The name and content type that the client sent with the file. */
  sentAs: SentAs;
  /** Fields that the operation does not have. */
  warnings: Warning[];
}

// Limits besides the file size, so that a body of many small parts cannot exhaust memory.
const limits = { fields: 22, fieldNameSize: 100, fieldSize: 16_384, files: 2, parts: 22, headerPairs: 50 };
const fileField = 'file';

/**
 * Parses a multipart form as a stream, with its parts in any order. The file is passed to `receive` and never buffered
 * as a whole. If the rest is invalid or the upload breaks off, `discard` gets the result of `receive`.
 * @throws ApiError 415 when the body is not a form, 400 when it is malformed or incomplete, 422 for missing or invalid
 * fields, and whatever `receive` throws
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
  const values: Record<string, string> = {};
  let file: Promise<Received> | undefined;
  let sentAs: SentAs | undefined;
  let incoming: Readable | undefined;
  const parser = createParser(request);
  parser.on('file', (name, stream, filename, _encoding, contentType) => {
    if (name !== fileField || file) {
      errors.push({ field: name || fileField, message: 'Must be a single file, in the part named file' });
      return void stream.resume();
    }
    incoming = stream;
    const fileStream = drainable(stream);
    sentAs = { filename: filename ?? '', contentType };
    file = receive({ stream: fileStream, ...sentAs });
    // The rest of a rejected file must still be read, so that the response reaches the client.
    file.catch(() => fileStream.destroy());
  });
  const known = Object.keys((row.form as NonNullable<Operation['form']>).shape);
  const unknown: string[] = [];
  parser.on('field', (name, value, _isNameCut, isCut) => {
    if (!known.includes(name)) return void unknown.push(name);
    if (Object.hasOwn(values, name)) errors.push({ field: name, message: 'Must not be sent twice' });
    if (isCut) errors.push({ field: name, message: `Must be at most ${limits.fieldSize} bytes` });
    values[name] = value;
  });
  parser.on('partsLimit', () => errors.push({ field: 'body', message: `Must contain at most ${limits.parts} parts` }));

  const [read] = await Promise.allSettled([parseForm(request, parser)]);
  if (read.status === 'rejected') incoming?.destroy(read.reason as Error);
  const [received] = await Promise.allSettled([file]);
  const fields = readFields(row.form as NonNullable<Operation['form']>, values, errors);
  if (!file && !errors.length)
    errors.push({ field: fileField, message: 'Is required: send the file in a part with this name' });
  const isWhole = read.status === 'fulfilled' && received.status === 'fulfilled' && !errors.length;
  const warnings = fieldWarnings(unknown);
  if (isWhole && sentAs) return { fields, received: received.value as Received, sentAs, warnings };
  if (received.status === 'fulfilled' && received.value !== undefined) await discard(received.value);
  if (read.status === 'rejected') throw fail('malformed_request');
  if (received.status === 'rejected') throw received.reason;
  throw fail('validation_failed', errors, { warnings });
}

function createParser(request: Request) {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] as string },
      limits,
      // Only the name makes a part a file: clients may omit the filename.
      isPartAFile: (name) => name === fileField,
    });
  } catch {
    // The boundary is missing or invalid.
    throw fail('malformed_request');
  }
}

/**
 * Wraps the parser's file stream. A late reader still sees its error, and destroying the wrapper drains the rest of the
 * file: the parser would hang if its own stream were destroyed.
 */
function drainable(stream: Readable): Readable {
  const through = new PassThrough();
  through.on('error', () => {});
  stream.once('error', (error) => through.destroy(error));
  // Must come after `pipe`, whose own listener pauses the stream.
  stream.pipe(through).once('close', () => stream.resume());
  return through;
}

/** Resolves when the form is parsed to its end; rejects when the request breaks off. */
function parseForm(request: Request, parser: ReturnType<typeof createParser>): Promise<void> {
  return new Promise((resolve, reject) => {
    const broken = () => reject(new Error('The request was aborted'));
    parser.once('finish', () => resolve());
    parser.once('error', reject);
    request.once('aborted', broken).once('error', broken);
    request.pipe(parser);
  });
}
