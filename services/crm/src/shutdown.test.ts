import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endSpan, startTrace } from '@tandem/process';
import { createService } from '@tandem/service';
import { startTcpProxy, testSettings, until } from '@tandem/testing';
import { alone } from './crm.test-service.ts';
import { crmService } from './service.ts';

// The shutdown steps of packages/service with real stores.

const environment = { ...process.env };
afterEach(() => {
  process.env = { ...environment };
});

it('a broker that is frozen keeps no step above its limit, and the spans are exported', async () => {
  let exported = '';
  const collector = createServer(async (request, response) => {
    for await (const chunk of request) exported += chunk;
    response.end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  process.env.OTEL_EXPORTER_OTLP_PROTOCOL = 'http/json';
  const settings = await testSettings('crm');
  const proxy = await startTcpProxy(settings.AMQP_URL);
  const service = createService(crmService({ ...settings, ...alone, AMQP_URL: proxy.through(settings.AMQP_URL) }));
  await until('its consumers run', service.consuming);
  await until('spans are recorded', () => startTrace('req', undefined, { name: 'probe', kind: 'internal' }).span);
  proxy.pause();
  const late: string[] = [];
  for (const { name, withinMs, run } of service.closing) {
    const startedAt = performance.now();
    endSpan(startTrace('req', undefined, { name: `during ${name}`, kind: 'internal' }));
    await run();
    if (performance.now() - startedAt >= withinMs) late.push(name);
  }
  await proxy.close();
  collector.closeAllConnections();
  collector.close();
  await settings.drop();
  expect(late).toEqual([]);
  for (const { name } of service.closing) expect(exported).toContain(`during ${name}`);
});
