import { createServer, type IncomingHttpHeaders } from 'node:http';

/** A received webhook delivery. */
export interface Delivered {
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: string;
}

export interface Receiver {
  url: string;
  deliveries: Delivered[];
  close(): Promise<void>;
}

/**
 * Starts a local webhook receiver that answers with the status returned by `answer`, 204 by default; with undefined it
 * does not answer.
 */
export async function startReceiver(
  answer: (delivered: Delivered, count: number) => number | undefined = () => 204,
): Promise<Receiver> {
  const deliveries: Delivered[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const delivered = {
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks).toString(),
    };
    deliveries.push(delivered);
    const status = answer(delivered, deliveries.length);
    if (status !== undefined) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`,
    deliveries,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
