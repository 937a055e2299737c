import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findMembers, gatewayName } from '@tandem/local/members';
import { anyFreePort } from '@tandem/local/ports';
import { aTenant, type Receiver, startFleet, startReceiver, type TestFleet } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { parse } from 'yaml';
import { namesIn } from './promql.ts';

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook: string };
}
interface Panel {
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
}

const root = resolve(import.meta.dirname, '../../..');
const text = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');
const alerts = (parse(text('alerts.yml')) as { groups: { rules: Alert[] }[] }).groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(text('dashboard.json')) as { panels: Panel[] };
const queries = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));

// Labels that Prometheus adds to every target, and `le` of histograms.
const commonLabels = ['instance', 'job', 'le', 'service'];
// Prometheus creates this metric itself.
const prometheusMetrics = new Map([['up', new Set<string>()]]);

const members = findMembers(root).map(({ name }) => name);

let fleet: TestFleet;
let receiver: Receiver;
/** The labels of every metric that the fleet exports. */
let exported: Map<string, Set<string>>;
beforeAll(async () => {
  receiver = await startReceiver();
  const opsPort = await anyFreePort();
  fleet = await startFleet({
    // Nothing listens on this port: the spans are lost, and counted.
    env: {
      OPS_PORT: String(opsPort),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    },
  });
  const tenant = await aTenant(fleet);
  await tenant.api.createWebhook({ body: { url: receiver.url, events: ['lead.created'] } });
  await tenant.api.createLead({ body: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' } });
  await until('the webhook arrives', () => receiver.deliveries[0]);
  const ports = servicePorts();
  exported = await until('all metrics have values', async () => {
    const texts = await Promise.all(
      [...ports, opsPort].map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
    );
    const metrics = metricsIn(texts.join('\n'));
    return metrics.get('tandem_job_duration_seconds_count')?.has('outcome') ? metrics : undefined;
  });
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  await receiver?.close();
}, 60_000);

describe('existing metrics and labels', () => {
  it.each(alerts.map(({ alert, expr }) => [alert, expr]))('are used by the alert %s', (_, expr) => {
    expect(missingFrom(expr)).toEqual([]);
  });

  it.each(queries.map(({ title, legendFormat, expr }) => [title, legendFormat, expr]))(
    'are used by the panel "%s" for %s',
    (_, legend, expr) => {
      expect(missingFrom(expr)).toEqual([]);
      const { grouped } = namesIn(expr);
      const named = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] as string);
      expect(named.filter((label) => !grouped.has(label))).toEqual([]);
    },
  );
});

const runbook = readFileSync(join(root, 'docs/operations.md'), 'utf8');

/** The consumers of the running services, as `service.consumer`. */
async function consumers(): Promise<string[]> {
  const responses = await Promise.all(
    servicePorts().map(async (port) => (await fetch(`http://127.0.0.1:${port}/topology`)).json()),
  );
  return (responses as { consumers: { queue: string }[] }[]).flatMap((one) =>
    one.consumers.map(({ queue }) => queue.replace(/^[^.]+\./, '')),
  );
}

it('the runbook explains for every consumer how its data is restored', async () => {
  const section = /^## Rebuilding derived data$(.*?)^## /ms.exec(runbook)?.[1] ?? '';
  const explained = [...section.matchAll(/^\| `([a-z.-]+)` \|/gm)].map((match) => match[1]);
  // The runbook explains consumers once that nearly every service has.
  const shared = ['follow-tenant', 'erase-persons'];
  const names = (await consumers()).map((name) => shared.find((one) => name.endsWith(`.${one}`)) ?? name);
  expect(explained.toSorted()).toEqual([...new Set(names)].sort());
});

describe('an alert', () => {
  const sections = [...runbook.matchAll(/^### (.+)$/gm)].map((match) => match[1] as string);

  it.each(alerts)('$alert has a summary, a description and a section in the runbook', (one) => {
    expect(['critical', 'warning', 'info']).toContain(one.labels.severity);
    expect(one.annotations.summary).toBeTruthy();
    expect(one.annotations.description).toBeTruthy();
    expect(one.annotations.runbook).toBe(`docs/operations.md#${one.alert.toLowerCase()}`);
    expect(sections).toContain(one.alert);
  });

  it('exists exactly once for every section of the runbook', () => {
    expect(sections.toSorted()).toEqual(alerts.map(({ alert }) => alert).sort());
  });

  it.each(alerts)('$alert uses only labels that its expression keeps', ({ expr, annotations }) => {
    const { grouped } = namesIn(expr);
    const named = [
      ...Object.values(annotations)
        .join(' ')
        .matchAll(/\$labels\.(\w+)/g),
    ].map((match) => match[1] as string);
    const kept = grouped.size ? grouped : new Set(commonLabels);
    expect(named.filter((label) => !kept.has(label))).toEqual([]);
  });
});

describe('an alert on the value 0', () => {
  // The series of a stopped instance ends, and a comparison ignores a missing series.
  it('fires for a member without instances', () => {
    expect(conditionsOf('ServiceDown')).toEqual([
      'max by (job) (up) == 0',
      ...members.map((member) => `absent(up{job="${member}"})`),
    ]);
  });

  it('fires for a consumer whose service has no instances', async () => {
    const queues = (await consumers()).map((name) => `tandem.${name}`);
    expect(conditionsOf('ConsumerDisconnected')).toEqual([
      'max by (consumer) (tandem_consumer_connected) == 0',
      ...queues.map((queue) => `absent(tandem_consumer_connected{consumer="${queue}"})`),
    ]);
  });

  it('is one of those above, or InstanceDown, which leaves stopped instances to ServiceDown', () => {
    const onZero = alerts.filter(({ expr }) => /== *0|< *1\b/.test(expr)).map(({ alert }) => alert);
    expect(onZero.sort()).toEqual(['ConsumerDisconnected', 'InstanceDown', 'ServiceDown']);
  });
});

it('Prometheus scrapes the gateway and every service, each with its name as the job', () => {
  const { scrape_configs: configs } = parse(text('prometheus.yml')) as {
    scrape_configs: {
      job_name: string;
      dns_sd_configs: { names: string[]; port: number }[];
      relabel_configs?: { source_labels: string[]; target_label: string }[];
    }[];
  };
  const scraped = configs.flatMap(({ dns_sd_configs: dns }) => dns.flatMap(({ names }) => names));
  expect(scraped.toSorted()).toEqual(members.toSorted());
  for (const { job_name: job, dns_sd_configs: dns, relabel_configs: relabels } of configs) {
    const names = dns.flatMap((one) => one.names);
    if (names.length === 1) expect(names).toEqual([job]);
    else expect(relabels).toEqual([{ source_labels: ['__meta_dns_name'], target_label: 'job' }]);
  }
  expect(configs.at(-1)?.dns_sd_configs).toMatchObject([{ names: [gatewayName], port: 9090 }]);
});

describe('a query with unknown names', () => {
  it.each([
    ['a metric', 'rate(tandem_request_total[5m])', 'tandem_request_total'],
    ['a label', 'tandem_jobs{status="dead"}', 'tandem_jobs{status}'],
    ['a label to group by', 'sum by (tenant) (tandem_jobs)', 'by (tenant)'],
  ])('is detected by %s', (_, expr, missing) => {
    expect(missingFrom(expr)).toContain(missing);
  });

  it('is rejected if it is invalid PromQL', () => {
    expect(() => namesIn('rate(tandem_jobs[5m]')).toThrow('Invalid PromQL');
  });
});

/** The ports of all services; the gateway has its metrics on another one. */
function servicePorts(): (string | undefined)[] {
  return members.filter((name) => name !== gatewayName).map((name) => fleet.environment[name]?.PORT);
}

/** The parts of an alert's expression, any of which fires it. */
function conditionsOf(name: string): string[] | undefined {
  return alerts.find(({ alert }) => alert === name)?.expr.split(/\s+or\s+/);
}

/** The metrics and labels of an expression that the fleet does not export. */
function missingFrom(expr: string): string[] {
  const { metrics, matched, grouped } = namesIn(expr);
  const labelsOf = (metric: string) => exported.get(metric) ?? prometheusMetrics.get(metric);
  const known = new Set([...commonLabels, ...[...metrics].flatMap((metric) => [...(labelsOf(metric) ?? [])])]);
  return [
    ...[...metrics].filter((metric) => !labelsOf(metric)),
    ...matched
      .filter(({ metric, label }) => !labelsOf(metric)?.has(label) && !commonLabels.includes(label))
      .map(({ metric, label }) => `${metric}{${label}}`),
    ...[...grouped].filter((label) => !known.has(label)).map((label) => `by (${label})`),
  ];
}

function metricsIn(exposition: string): Map<string, Set<string>> {
  const metrics = new Map<string, Set<string>>();
  for (const [, name, labels = ''] of exposition.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const known = metrics.get(name as string) ?? new Set();
    metrics.set(name as string, known);
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label as string);
  }
  return metrics;
}
