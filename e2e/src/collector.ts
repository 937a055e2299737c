import { createServer } from 'node:http';

/** A span as it arrived by OTLP, reduced to what tests look at. */
export interface CollectedSpan {
  service: string;
  name: string;
  /** OTLP's numbers: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
}

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  close(): Promise<void>;
}

interface KeyValue {
  key: string;
  value: Record<string, unknown>;
}

interface ExportRequest {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { spans: (Omit<CollectedSpan, 'service' | 'attributes'> & { attributes: KeyValue[] })[] }[];
  }[];
}

/** An OpenTelemetry collector on loopback that takes OTLP over HTTP as JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    spans.push(...spansOf(JSON.parse(Buffer.concat(chunks).toString()) as ExportRequest));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    spans,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function spansOf({ resourceSpans }: ExportRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(plain(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, kind, traceId, spanId, parentSpanId, attributes }) => ({
        service,
        name,
        kind,
        traceId,
        spanId,
        parentSpanId,
        attributes: plain(attributes),
      })),
    );
  });
}

function plain(attributes: KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
