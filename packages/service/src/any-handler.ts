import type { Operation, Operations } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import type { Context, FormHandler, Handlers, InTenant } from './handler.ts';

/** The context of any handler: the types of its input follow from the row, which is known at run time only. */
export interface AnyContext
  extends Omit<Context<Operation, unknown>, 'params' | 'query' | 'body' | 'emit' | 'inTenant'> {
  params: unknown;
  query: unknown;
  body: unknown;
  emit: Emit;
  inTenant: InTenant<unknown>;
  found: unknown;
}

type AnyCheckContext = Pick<
  AnyContext,
  'params' | 'query' | 'body' | 'caller' | 'tx' | 'under' | 'inTenant' | 'ifMatch'
>;
type AnyFormHandler = FormHandler<Operation, unknown, { checksum: string }>;

/** A handler whose operation is known at run time only. */
export interface AnyHandler {
  check?: (context: AnyCheckContext) => Promise<unknown>;
  share?: (context: Pick<AnyContext, 'caller'>) => Promise<() => void>;
  run: (context: AnyContext) => unknown;
  /** Only for forms. */
  admit?: (context: Pick<AnyContext, 'params' | 'caller' | 'tx'>) => Promise<void>;
  receive?: AnyFormHandler['receive'];
  discard?: AnyFormHandler['discard'];
}

/**
 * The handlers of a service without the types of their operations. TypeScript cannot prove that a parsed request fits
 * the handler of its row. It does, because both types follow from that row, so this is the only place that casts them.
 */
export function untypedHandlers<Ops extends Operations, Tx>(handlers: Handlers<Ops, Tx>): Record<string, AnyHandler> {
  const untyped = Object.entries(handlers).map(([id, handler]) => [
    id,
    typeof handler === 'function' ? { run: handler } : handler,
  ]);
  return Object.fromEntries(untyped) as Record<string, AnyHandler>;
}
