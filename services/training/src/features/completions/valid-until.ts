import { fragment } from '@tandem/tenant-db';

/**
 * When a completion ends to be valid: with its certificate; without one, after the days that the course names. Reads the
 * enrolment `completion`, its `certificate` and the course `required`.
 */
export const validUntil = fragment`CASE
  WHEN certificate.id IS NULL
    THEN coalesce(completion.completed_at + make_interval(days => required.valid_days), 'infinity'::timestamptz)
  WHEN certificate.status = 'valid' THEN coalesce(certificate.expires_at, 'infinity'::timestamptz)
  ELSE '-infinity'::timestamptz END`;
