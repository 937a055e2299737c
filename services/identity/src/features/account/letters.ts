import type { Letter } from '@tandem/mail';
import { letterFor, type Reader, timeFor } from '../../letters.ts';

interface Link {
  url: string;
  expiresAt: Date;
}

const ignore = {
  en: 'If you did not ask for this, you can ignore this message.',
  de: 'Wenn Sie das nicht angefordert haben, können Sie diese Nachricht ignorieren.',
};

export function passwordResetLetter(reader: Reader, { url, expiresAt }: Link): Letter {
  const until = timeFor(reader, expiresAt);
  return letterFor(
    reader,
    {
      en: {
        subject: `Reset your password for ${reader.tenantName}`,
        preview: 'The link works once, for 30 minutes.',
        paragraphs: [`Choose a new password for your account at ${reader.tenantName}.`],
        button: 'Choose a new password',
        notes: [`The link works once, until ${until}.`, ignore.en],
      },
      de: {
        subject: `Passwort für ${reader.tenantName} zurücksetzen`,
        preview: 'Der Link gilt einmal und 30 Minuten lang.',
        paragraphs: [`Wählen Sie ein neues Passwort für Ihr Konto bei ${reader.tenantName}.`],
        button: 'Neues Passwort wählen',
        notes: [`Der Link gilt einmal, bis ${until}.`, ignore.de],
      },
    },
    url,
  );
}

export function passwordChangedLetter(reader: Reader, { at, by }: { at: Date; by: string }): Letter {
  const time = timeFor(reader, at);
  const isOther = by === 'administrator';
  return letterFor(reader, {
    en: {
      subject: 'Your password was changed',
      preview: `Changed on ${time}`,
      paragraphs: [
        isOther
          ? `An administrator of ${reader.tenantName} set a new password for your account on ${time}.`
          : `The password of your account at ${reader.tenantName} was changed on ${time}.`,
        'If this was not you, reset your password now and inform an administrator.',
      ],
    },
    de: {
      subject: 'Ihr Passwort wurde geändert',
      preview: `Geändert am ${time}`,
      paragraphs: [
        isOther
          ? `Die Administration von ${reader.tenantName} hat am ${time} ein neues Passwort für Ihr Konto gesetzt.`
          : `Das Passwort Ihres Kontos bei ${reader.tenantName} wurde am ${time} geändert.`,
        'Wenn Sie das nicht waren, setzen Sie Ihr Passwort jetzt zurück und informieren Sie die Administration.',
      ],
    },
  });
}

export function verificationLetter(reader: Reader, { url, expiresAt }: Link): Letter {
  const until = timeFor(reader, expiresAt);
  return letterFor(
    reader,
    {
      en: {
        subject: 'Confirm your e-mail address',
        preview: `For your account at ${reader.tenantName}`,
        paragraphs: [`Please confirm that this is your address, for your account at ${reader.tenantName}.`],
        button: 'Confirm address',
        notes: [`The link works once, until ${until}.`, ignore.en],
      },
      de: {
        subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
        preview: `Für Ihr Konto bei ${reader.tenantName}`,
        paragraphs: [`Bitte bestätigen Sie, dass dies Ihre Adresse ist, für Ihr Konto bei ${reader.tenantName}.`],
        button: 'Adresse bestätigen',
        notes: [`Der Link gilt einmal, bis ${until}.`, ignore.de],
      },
    },
    url,
  );
}

/** Sent to the previous address, so that its owner notices a change that was made with a stolen session. */
export function emailChangeNotice(reader: Reader, { newEmail, isDone }: { newEmail: string; isDone: boolean }): Letter {
  return letterFor(reader, {
    en: {
      subject: isDone ? 'Your e-mail address was changed' : 'A change of your e-mail address was requested',
      preview: `For your account at ${reader.tenantName}`,
      paragraphs: [
        isDone
          ? `Your account at ${reader.tenantName} now uses the address ${newEmail}.`
          : `Your account at ${reader.tenantName} will use the address ${newEmail} as soon as it is confirmed.`,
        'If this was not you, change your password now and inform an administrator.',
      ],
    },
    de: {
      subject: isDone ? 'Ihre E-Mail-Adresse wurde geändert' : 'Eine Änderung Ihrer E-Mail-Adresse wurde angefordert',
      preview: `Für Ihr Konto bei ${reader.tenantName}`,
      paragraphs: [
        isDone
          ? `Ihr Konto bei ${reader.tenantName} verwendet jetzt die Adresse ${newEmail}.`
          : `Ihr Konto bei ${reader.tenantName} verwendet die Adresse ${newEmail}, sobald sie bestätigt ist.`,
        'Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort und informieren Sie die Administration.',
      ],
    },
  });
}
