import type { Environment } from '@tandem/caller';
import type { LinkTokens } from '@tandem/sealed';
import { fail } from '@tandem/service';

/** The payload of the link to a launched package: what its page may read and record. */
export interface ScormLink {
  tenantId: number;
  environment: Environment;
  enrollmentId: number;
  lessonId: number;
  packageId: number;
  /** The number of the launch; undefined for a review, which records nothing but time. */
  session: number | undefined;
}

/** @throws ApiError 404 for a link that has expired or was never issued */
export function readScormLink({ scormLinks }: { scormLinks: LinkTokens<ScormLink> }, token: string): ScormLink {
  const link = scormLinks.read(token);
  if (link === 'expired') throw fail('link_expired', [{ field: 'token', message: 'Open the lesson again' }]);
  if (!link) throw fail('not_found');
  return link;
}

/** The tenant of a link. */
export function scopeOf({ tenantId, environment }: ScormLink): Pick<ScormLink, 'tenantId' | 'environment'> {
  return { tenantId, environment };
}
