import type { Purge } from '@tandem/service';

/** Links of letters, a day after they have expired: until then their number limits further letters. */
export const linkRetention: Purge = { table: 'account_token', column: 'expires_at', days: 1 };

/** Invitations, 90 days after their last link has expired, with any status. */
export const invitationRetention: Purge = { table: 'invitation', column: 'expires_at', days: 90 };

/** Enrolments of a second factor that were never confirmed; they cannot be after an hour. */
export const enrollmentRetention: Purge = {
  table: 'totp',
  days: 1,
  // The relay role sees the confirmed ones too, whose secrets it re-encrypts. Recovery codes are deleted with the row.
  statement: `DELETE FROM totp WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM totp
    WHERE confirmed_at IS NULL AND created_at < now() - make_interval(days => $1) ORDER BY created_at LIMIT $2)
    RETURNING id`,
};
