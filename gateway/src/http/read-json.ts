import { isUtf8 } from 'node:buffer';
import { ApiError } from './api-error.ts';
import { findProblem } from './scan-json.ts';

/**
 * Parses a JSON body within the limits of `findProblem`. They are checked before the body is parsed, so that neither
 * this process nor a service spends time on a body that is refused.
 * @throws ApiError 400 naming the reason
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
