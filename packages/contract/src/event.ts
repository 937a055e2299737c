import type { z } from 'zod';
import type { ResourceType } from './id.ts';

/**
 * Something that happened to a resource. `data` is what customers receive by webhook, `record` the whole resource for
 * readers inside the fleet. `group` puts the event into the public webhook catalogue; without it the event is internal.
 */
export interface EventDef<
  Name extends string = string,
  Data extends z.ZodType = z.ZodType,
  Rec extends z.ZodType = z.ZodType,
> {
  name: Name;
  group?: string;
  description: string;
  /** What the audit log calls it: `lead.update`. */
  action: string;
  /** The resource it happened to; its id is `record.id`. */
  target: ResourceType;
  data: Data;
  record: Rec;
  /** An example of `data` as a customer sees it; the catalogue and webhook tests show it. */
  example?: z.input<Data>;
}

/** What a handler passes to `emit` as data. */
export type EventData<E extends EventDef> = z.output<E['data']>;
/** What a handler passes to `emit` as record. */
export type EventRecord<E extends EventDef> = z.output<E['record']>;

/**
 * Declares an event.
 * @throws when the name is not `<resource>.<what_happened>`, or a catalogued event has no example.
 */
export function event<const Name extends string, Data extends z.ZodType, Rec extends z.ZodType>(
  name: Name,
  def: Omit<EventDef<Name, Data, Rec>, 'name'>,
): EventDef<Name, Data, Rec> {
  if (!/^[a-z_]+(\.[a-z_]+)+$/.test(name)) throw new Error(`An event is named <resource>.<what_happened>, not ${name}`);
  if (def.group && def.example === undefined) throw new Error(`The catalogued event ${name} needs an example`);
  return { name, ...def };
}
