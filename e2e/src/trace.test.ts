import { aTenant, type Receiver, startFleet, startReceiver, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { type CollectedSpan, type Collector, startCollector } from './collector.ts';

let collector: Collector;
let receiver: Receiver;
let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  [collector, receiver] = await Promise.all([startCollector(), startReceiver()]);
  fleet = await startFleet({
    services: ['identity', 'crm', 'integrations'],
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
    },
  });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  await Promise.all([collector?.close(), receiver?.close()]);
}, 60_000);

const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpan = 'b7ad6b7169203331';

async function createLead(headers: Record<string, string> = {}) {
  const { status } = await fetch(`${fleet.baseUrl}/v1/leads`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': tenant.live, ...headers },
    body: JSON.stringify({ email: `${crypto.randomUUID()}@example.com`, firstName: 'Ada', lastName: 'Lovelace' }),
  });
  return status;
}

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('one trace covers gateway, service, outbox, consumer, job and webhook', async () => {
    await tenant.api.createWebhook({ body: { url: receiver.url, events: ['lead.created'] } });
    expect(await createLead({ traceparent: `00-${traceId}-${clientSpan}-01` })).toBe(201);

    const spans = await until('the trace is complete', () => {
      const ours = collector.spans.filter((span) => span.traceId === traceId);
      return ours.some(({ name }) => name === 'POST webhook') && isComplete(ours) ? ours : undefined;
    });
    const webhook = spans.find(({ name }) => name === 'POST webhook') as CollectedSpan;
    expect(ancestors(webhook, spans)).toEqual([
      'integrations POST webhook',
      'integrations run deliver',
      'integrations transaction',
      'integrations process lead.created',
      'crm publish lead.created',
      'crm POST /v1/leads',
      'gateway POST',
      'gateway POST /v1/leads',
    ]);
    expect(spans.find(({ service, name }) => service === 'gateway' && name === 'POST /v1/leads')).toMatchObject({
      parentSpanId: clientSpan,
      kind: 2,
      attributes: { 'http.response.status_code': 201, 'http.route': '/v1/leads', 'tandem.operation': 'createLead' },
    });
  });

  it('spans contain neither personal data nor secrets', async () => {
    const text = JSON.stringify(collector.spans);
    expect(collector.spans.length).toBeGreaterThan(0);
    for (const secret of [tenant.live, tenant.email, tenant.accessToken, '@example.com', 'Lovelace', '/hook'])
      expect(text).not.toContain(secret);
  });

  it('requests are served while the collector is unavailable, and lost spans are counted', async () => {
    await collector.close();
    expect(await createLead()).toBe(201);
    const { PORT } = fleet.environment.crm as { PORT: string };
    await until('crm counts lost spans', async () => {
      const text = await (await fetch(`http://127.0.0.1:${PORT}/metrics`)).text();
      return /^tandem_spans_lost_total\{.*\} [1-9]/m.test(text);
    });
    expect(await createLead()).toBe(201);
  });
});

/** Whether every parent span has arrived, because each process exports its own spans. */
function isComplete(spans: CollectedSpan[]): boolean {
  const ids = new Set([clientSpan, ...spans.map(({ spanId }) => spanId)]);
  return spans.every(({ parentSpanId }) => ids.has(parentSpanId));
}

/** A span and its ancestors, as `service name`. */
function ancestors(span: CollectedSpan, spans: CollectedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [`${span.service} ${span.name}`, ...(parent ? ancestors(parent, spans) : [])];
}
