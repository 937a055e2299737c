/**
 * Base URL by service, from `*_URL` settings. Excludes the gateway: no consumers, and its metrics are on another port.
 */
export function serviceAddresses(): Map<string, string> {
  return new Map(
    Object.entries(process.env).flatMap(([name, value]) =>
      /^(?!GATEWAY_|PUBLIC_|AMQP_|OPENSEARCH_|AI_|WEBHOOK_)[A-Z_]+_URL$/.test(name) && value?.startsWith('http')
        ? [[name.slice(0, -4).toLowerCase().replaceAll('_', '-'), value]]
        : [],
    ),
  );
}

/** Reads /metrics of every service, from one instance each; `text` is undefined for a service that does not respond. */
export function readMetrics(): Promise<{ service: string; text: string | undefined }[]> {
  return Promise.all(
    [...serviceAddresses()].map(async ([service, address]) => {
      const text = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(3_000) }).then(
        (response) => (response.ok ? response.text() : undefined),
        () => undefined,
      );
      if (text === undefined) console.error(`${service} does not respond`);
      return { service, text };
    }),
  );
}
