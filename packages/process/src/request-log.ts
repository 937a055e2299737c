const flushMs = 100;
const flushBytes = 64 * 1024;

/** What every request line says; a process adds what else it knows. Nothing in it may be a secret. */
export interface RequestEntry {
  requestId: string;
  traceId: string;
  operation: string | undefined;
  status: number;
  ms: number;
  tenantId?: number | undefined;
  keyId?: number | null | undefined;
  userId?: number | undefined;
}

/**
 * Writes the request lines of a process in blocks, in the form of its log: taking each through winston would cost more
 * than the rest of many a request. A line waits at most 100 ms.
 */
export function createRequestLog(service: string, write: (block: string) => void) {
  const head = `{"level":"info","message":"request","service":${JSON.stringify(service)},"timestamp":"`;
  let block = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (block) write(block);
    block = '';
  };
  return {
    flush,
    line(entry: RequestEntry) {
      // An entry always has a field, so its brace becomes the comma.
      block += `${head}${new Date().toISOString()}",${JSON.stringify(entry).slice(1)}\n`;
      timer ??= setTimeout(flush, flushMs).unref();
      if (block.length > flushBytes) flush();
    },
  };
}
