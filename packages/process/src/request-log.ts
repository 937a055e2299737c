const flushMs = 100;
const flushBytes = 64 * 1024;

/** Fields of every request line; a process can add its own. No field may contain a secret. */
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
 * Writes the request lines of a process in batches, in the format of its log. Passing each line through winston would
 * cost more than handling many requests. A line waits at most 100 ms.
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
      // An entry always has a field, so its opening brace is replaced by the comma.
      block += `${head}${new Date().toISOString()}",${JSON.stringify(entry).slice(1)}\n`;
      timer ??= setTimeout(flush, flushMs).unref();
      if (block.length > flushBytes) flush();
    },
  };
}
