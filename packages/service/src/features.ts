import type { Caller } from '@tandem/caller';
import { type Feature, missingFeature } from '@tandem/contract';
import { ApiError, fail } from './api-error.ts';

/**
 * Rejects a caller whose tenant lacks a feature. The row of an operation declares it; a handler calls this where only
 * some requests of an operation need the feature.
 */
export function requireFeature(caller: Caller, feature: Feature): void {
  // Services send no features, and neither do gateways of the previous release during a rolling update.
  if (!caller.features || caller.features.includes(feature)) return;
  const { message, errors } = missingFeature(feature);
  const { code, status } = fail('feature_not_available');
  throw new ApiError(code, status, message, errors);
}
