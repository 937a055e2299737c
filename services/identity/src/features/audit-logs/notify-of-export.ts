import type { Emit } from '@tandem/events';
import type { notificationCreated } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { Tx } from '../../handler.ts';
import { type Notice, notify } from '../notifications/notify.ts';
import { usersWho } from '../notifications/users-who.ts';
import { readTenant } from '../tenants/tenant.ts';

type NoticeTexts = Pick<Notice, 'title' | 'body'>;

/** The text of the notice of a complete export. */
export function exportedTexts(rows: number, isVerified: boolean): NoticeTexts {
  const title = { en: 'The export of the audit log is ready', de: 'Der Export des Audit-Logs ist fertig' };
  const body = { en: `It has ${rows} entries.`, de: `Er enthält ${rows} Einträge.` };
  if (isVerified) return { title, body };
  return {
    title,
    body: {
      en: `${body.en} The verification found a modified entry: see the result of the job.`,
      de: `${body.de} Die Prüfung hat einen veränderten Eintrag gefunden: siehe das Ergebnis des Jobs.`,
    },
  };
}

/** The text of the notice of a failed export. */
export const failedTexts: NoticeTexts = {
  title: { en: 'The export of the audit log failed', de: 'Der Export des Audit-Logs ist fehlgeschlagen' },
  body: { en: 'Request it again.', de: 'Fordern Sie ihn erneut an.' },
};

/** Notifies the user who requested an export when it completes or fails, if they may still read the audit log. */
export async function notifyOfExport(
  { tx, emit }: { tx: Tx; emit: Emit<typeof notificationCreated> },
  { jobId, userId, texts }: { jobId: number; userId: number | null; texts: NoticeTexts },
  ids: IdCodec,
): Promise<void> {
  if (userId === null) return;
  const { tenantId } = await readTenant(tx);
  await notify(tx, emit, {
    ...texts,
    userIds: await usersWho(tx, 'audit:read', { among: [userId] }),
    category: 'exports',
    data: { type: 'job', id: ids.encode('job', tenantId, jobId) },
  });
}
