import { createServer } from 'node:http';
import {
  createLog,
  createMetrics,
  endSpan,
  newTrace,
  shutdownLimits,
  startSpan,
  startTrace,
  withSpan,
  withTrace,
} from '@tandem/process';
import { until } from '@tandem/until';
import { samplerOf } from './sampler.ts';
import { startTelemetry } from './telemetry.ts';

const environment = { ...process.env };
afterEach(() => {
  process.env = { ...environment };
});

/** Records spans with a collector that responds with this status; resolves to the requests it received. */
async function withCollector(status: number | 'never', work: () => Promise<void>) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(Buffer.concat(chunks).toString());
    if (status !== 'never') response.writeHead(status).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The SDK's exporter reads some settings from the environment.
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  process.env.OTEL_EXPORTER_OTLP_PROTOCOL = 'http/json';
  // Longer than the shutdown limit, so that the limit itself is tested.
  process.env.OTEL_EXPORTER_OTLP_TIMEOUT = '1000';
  const metrics = createMetrics('test');
  const telemetry = startTelemetry({ service: 'test', log: createLog('test'), metrics });
  await until('spans are recorded', () => startTrace('req', undefined, { name: 'probe', kind: 'internal' }).span);
  await work();
  const startedAt = performance.now();
  await telemetry.close();
  const closeMs = performance.now() - startedAt;
  server.close();
  server.closeAllConnections();
  return { bodies, closeMs, text: await metrics.text() };
}

describe('spans', () => {
  it('that are buffered are sent when the process ends', async () => {
    const { bodies } = await withCollector(200, async () => {
      endSpan(startTrace('req', undefined, { name: 'last words', kind: 'server' }));
    });
    expect(bodies.join()).toContain('last words');
    expect(bodies.join()).toContain('service.name');
  });

  it('fail no step of the shutdown when the collector hangs', async () => {
    const { bodies, closeMs } = await withCollector('never', async () => {
      endSpan(startTrace('req', undefined, { name: 'unheard', kind: 'server' }));
    });
    expect(bodies).toHaveLength(1);
    expect(closeMs).toBeLessThan(shutdownLimits.telemetryMs);
  });

  it('that the collector rejects are counted', async () => {
    const { text } = await withCollector(400, async () => {
      endSpan(startTrace('req', undefined, { name: 'refused', kind: 'server' }));
    });
    expect(text).toMatch(/tandem_spans_lost_total\{service="test"\} 1/);
  });

  it('record the class of an error, never its message', async () => {
    const { bodies } = await withCollector(200, async () => {
      const work = async () => {
        throw new TypeError('ada@example.com is not a number');
      };
      const failing = withTrace(newTrace('req'), () => withSpan({ name: 'failing', kind: 'internal' }, work));
      await expect(failing).rejects.toThrow('ada@example.com');
    });
    expect(bodies.join()).toContain('TypeError');
    expect(bodies.join()).not.toContain('ada@example.com');
  });
});

describe('without OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('a trace is passed on unchanged, without a span', async () => {
    await startTelemetry({ service: 'test', log: createLog('test'), metrics: createMetrics('test'), env: {} }).close();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const trace = startTrace('req', traceparent, { name: 'unrecorded', kind: 'server' });
    expect(trace).toEqual({
      requestId: 'req',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      sampled: true,
    });
    expect(startSpan(trace, { name: 'unrecorded', kind: 'client' })).toBe(trace);
  });

  it.each([undefined, 'nonsense', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`])(
    '%s begins a new trace',
    (traceparent) => {
      const { traceId } = startTrace('req', traceparent);
      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(traceId).not.toBe('0'.repeat(32));
    },
  );
});

describe('OTEL_TRACES_SAMPLER', () => {
  it.each([
    [{}, 'ParentBased{root=AlwaysOnSampler'],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, 'AlwaysOffSampler'],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }, 'TraceIdRatioBased{0.25}'],
    [
      { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' },
      'ParentBased{root=TraceIdRatioBased{0.1}',
    ],
  ])('%j is %s', (env, description) => {
    expect(samplerOf(env).toString()).toContain(description);
  });

  it.each([
    { OTEL_TRACES_SAMPLER: 'sometimes' },
    { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
  ])('rejects %j', (env) => {
    expect(() => samplerOf(env)).toThrow('OTEL_TRACES_SAMPLER');
  });
});
