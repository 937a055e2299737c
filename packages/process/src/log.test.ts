import { Writable } from 'node:stream';
import winston from 'winston';
import { createLog } from './log.ts';
import { withTrace } from './trace.ts';

/** The lines that `work` logs, as they are written. */
async function linesOf(work: (log: ReturnType<typeof createLog>) => void): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = createLog('test', 'info');
  log.clear().add(new winston.transports.Stream({ stream }));
  work(log);
  await new Promise((resolve) => log.on('finish', resolve).end());
  return lines.map((line) => JSON.parse(line));
}

describe('a log line', () => {
  it('shows no value under a secret name, however deep it is', async () => {
    const secrets = {
      password: 'hunter2',
      request: { headers: { authorization: 'hunter2', 'X-API-Key': 'hunter2', 'set-cookie': ['hunter2'] } },
      steps: [{ refreshToken: 'hunter2', clientSecret: { value: 'hunter2' } }],
      count: 2,
    };
    const [line] = await linesOf((log) => log.warn('refused', secrets));
    expect(JSON.stringify(line)).not.toContain('hunter2');
    expect(line).toMatchObject({ level: 'warn', message: 'refused', service: 'test', count: 2 });
    expect(secrets.password).toBe('hunter2');
  });

  it('names request, trace and tenant of the work that it belongs to', async () => {
    const trace = { requestId: 'req_1', traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true, tenantId: 7 };
    const [line] = await linesOf((log) => withTrace(trace, () => log.error('job failed', { job: 'deliver' })));
    expect(line).toMatchObject({ requestId: 'req_1', traceId: 'a'.repeat(32), tenantId: 7, job: 'deliver' });
  });

  it('describes an error, also inside of something else', async () => {
    const [line] = await linesOf((log) =>
      log.error('failed', { error: new TypeError('bad'), parts: [new Error('worse')] }),
    );
    expect(line).toMatchObject({ error: { name: 'TypeError', message: 'bad' }, parts: [{ message: 'worse' }] });
  });
});
