import { createRequestLog } from './request-log.ts';

const entry = { requestId: 'req_1', traceId: 'a'.repeat(32), operation: 'getLead', status: 200, ms: 1.5 };

describe('the request log', () => {
  it('writes lines in batches, each in the format of the log', () => {
    const blocks: string[] = [];
    const log = createRequestLog('crm', (block) => blocks.push(block));
    log.line(entry);
    log.line({ ...entry, tenantId: undefined, keyId: 7 });
    expect(blocks).toEqual([]);
    log.flush();
    const lines = blocks.join('').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 'info', message: 'request', service: 'crm', timestamp: expect.any(String), ...entry },
      { level: 'info', message: 'request', service: 'crm', timestamp: expect.any(String), ...entry, keyId: 7 },
    ]);
  });

  it('flushes after a short delay, and at once when the buffer is large', async () => {
    const blocks: string[] = [];
    const log = createRequestLog('crm', (block) => blocks.push(block));
    log.line(entry);
    await new Promise<void>((resolve) => {
      const look = () => (blocks.length ? resolve() : setTimeout(look, 5));
      look();
    });
    for (let line = 0; line < 500; line++) log.line(entry);
    expect(blocks.length).toBeGreaterThan(1);
    log.flush();
    expect(blocks.join('').trimEnd().split('\n')).toHaveLength(501);
  });

  it('escapes text from the caller, so that it stays within its line', () => {
    let block = '';
    const log = createRequestLog('crm', (text) => {
      block += text;
    });
    log.line({ ...entry, requestId: 'a"\nb' });
    log.flush();
    expect(block.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(block).requestId).toBe('a"\nb');
  });
});
