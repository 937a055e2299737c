import { isUtf8 } from 'node:buffer';
import { ApiError } from './api-error.ts';
import { findProblem } from './scan-json.ts';

/**
 * Parses a JSON body within the limits of `findProblem`. They are checked before parsing, so that a refused body costs
 * no parsing time, here or in a service.
 * @throws ApiError 400 with the reason
 */
export function readJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8');
  const text = bytes.toString('utf8');
  const problem = findProblem(text);
  if (problem) throw malformed(problem);
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not JSON');
  }
}

function malformed(message: string): ApiError {
  return new ApiError('malformed_json', { errors: [{ field: 'body', message }] });
}
