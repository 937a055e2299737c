import type { Letter } from '@tandem/mail';
import { letterFor, type Reader, timeFor } from '../../letters.ts';

export function invitationLetter(
  reader: Reader,
  { url, expiresAt, inviterName }: { url: string; expiresAt: Date; inviterName: string },
): Letter {
  const until = timeFor(reader, expiresAt);
  const { tenantName } = reader;
  return letterFor(
    reader,
    {
      en: {
        subject: `${inviterName} invites you to ${tenantName}`,
        preview: 'Choose a password and start.',
        paragraphs: [`${inviterName} invites you to work with ${tenantName} on Tandem.`],
        button: 'Accept the invitation',
        notes: [
          `The invitation is valid until ${until}.`,
          'If you do not know the sender, you can ignore this message.',
        ],
        reason: `You receive this message because ${inviterName} entered this address for an invitation.`,
      },
      de: {
        subject: `${inviterName} lädt Sie zu ${tenantName} ein`,
        preview: 'Wählen Sie ein Passwort, und es geht los.',
        paragraphs: [`${inviterName} lädt Sie ein, mit ${tenantName} auf Tandem zu arbeiten.`],
        button: 'Einladung annehmen',
        notes: [
          `Die Einladung gilt bis ${until}.`,
          'Wenn Sie den Absender nicht kennen, können Sie diese Nachricht ignorieren.',
        ],
        reason: `Sie erhalten diese Nachricht, weil ${inviterName} diese Adresse für eine Einladung angegeben hat.`,
      },
    },
    url,
  );
}
