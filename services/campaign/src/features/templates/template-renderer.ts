import { createHash } from 'node:crypto';
import { createWorkers, TaskTooLongError } from '@tandem/workers';
import type { RenderingTasks } from './render.thread.ts';
import { type RenderedTemplate, renderTemplate, type TemplateContent, TemplateError } from './render.ts';

/** Renders templates of tenants without blocking the requests of others. */
export interface TemplateRenderer {
  /**
   * @param tenantId limits the threads that one tenant can use
   * @throws TemplateError when the content is not valid, or takes too long
   * @throws ShareTimeoutError when the threads are busy; a retry may succeed
   */
  render(content: TemplateContent, data: Record<string, unknown>, tenantId: number): Promise<RenderedTemplate>;
  close(): Promise<void>;
}

// Other requests wait no longer than this for a message; usual templates take less than 5 ms, some of 200 kB 40 ms.
const slowMs = 20;
const slowMax = 1_000;
// Ten times the limit within which a template must render.
const cpuMs = 1_000;
// The messages of all batches that run at once can be of one tenant.
const waiting = { waitingOfTenant: 200, waiting: 400 };

/**
 * Creates a renderer. Templates with loops, and those that once took long, are rendered in worker threads, so that a batch
 * of their messages blocks nobody; the others are not, because sending them to a thread takes longer than rendering them.
 */
export function createTemplateRenderer(): TemplateRenderer {
  const workers = createWorkers<RenderingTasks>(new URL('./render.thread.ts', import.meta.url), { cpuMs, ...waiting });
  const slow = new Set<string>();
  const renderHere = (content: TemplateContent, data: Record<string, unknown>, key: string) => {
    const begin = performance.now();
    try {
      return renderTemplate(content, data);
    } finally {
      if (performance.now() - begin > slowMs) remember(slow, key);
    }
  };
  return {
    async render(content, data, tenantId) {
      const key = keyOf(content);
      if (!slow.has(key) && !hasLoop(content)) return renderHere(content, data, key);
      try {
        const result = await workers.run('render', { content, data }, tenantId);
        if ('rendered' in result) return result.rendered;
        throw new TemplateError(result.error.field, result.error.message);
      } catch (error) {
        if (error instanceof TaskTooLongError) throw new TemplateError('html', 'Takes too long to render');
        throw error;
      }
    },
    close: workers.close,
  };
}

// The time of a template without loops is limited by its length.
const loop = /{%-?\s*(?:for|tablerow|liquid)\b/;

const hasLoop = ({ subject, preheader, html, text }: TemplateContent) =>
  [subject, preheader, html, text].some((part) => part !== null && loop.test(part));

function keyOf({ subject, preheader, html, text }: TemplateContent): string {
  return createHash('sha256')
    .update(JSON.stringify([subject, preheader, html, text]))
    .digest('base64');
}

function remember(keys: Set<string>, key: string): void {
  keys.add(key);
  const [oldest] = keys;
  if (keys.size > slowMax && oldest !== undefined) keys.delete(oldest);
}
