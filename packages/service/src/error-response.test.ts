import { ServiceCallError } from '@tandem/client/internal';
import type { Log } from '@tandem/process';
import { toErrorResponse } from './error-response.ts';

describe('a failed call to another service', () => {
  it.each([
    ['that is unavailable', 503, 'unavailable', 503, 'unavailable'],
    ['that rejects the call', 403, 'forbidden', 503, 'unavailable'],
    ['whose reply does not match its contract', 502, 'bad_gateway', 502, 'bad_gateway'],
  ])('%s is logged with its operation', (_, status, code, expectedStatus, expectedCode) => {
    const entries: unknown[] = [];
    const log = {
      error(message: string, fields: object) {
        entries.push([message, fields]);
      },
    } as Partial<Log> as Log;
    const error = new ServiceCallError('readUser', status, code);
    expect(toErrorResponse(error, undefined, log)).toMatchObject({ status: expectedStatus, code: expectedCode });
    expect(entries).toEqual([['call to another service failed', { error, operation: undefined }]]);
    expect(error.message).toContain('readUser');
  });
});
