import type { Ai, Source } from '@tandem/ai';
import type { Caller } from '@tandem/caller';
import type { TenantRequest } from '@tandem/client/per-tenant';
import type { SettingsReader } from '@tandem/identity-contract';
import type { z } from 'zod';

/** Generated output and its source. */
export interface Generated<Schema extends z.ZodType> {
  output: z.output<Schema>;
  source: Source;
}

/** Dependencies of the operations that generate. */
export interface Generation {
  ai: Ai;
  addonSettings: SettingsReader<TenantRequest>;
}

/** The tenant's own key for the provider, if its addon AI Generation has one. */
export async function ownKey({ addonSettings }: Generation, caller: Caller): Promise<string | undefined> {
  return (await addonSettings(caller, 'ai_generation'))?.apiKey;
}
