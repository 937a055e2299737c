import type { Caller } from '@tandem/caller';
import type { Tools } from '../../handler.ts';

/** The tenant's settings of the addon AI Generation: its own key for the provider, and its default tone. */
export async function generationSettings({ addonSettings }: Tools, caller: Caller) {
  const { apiKey, tone } = (await addonSettings(caller, 'ai_generation')) ?? {};
  return { apiKey, tone };
}
