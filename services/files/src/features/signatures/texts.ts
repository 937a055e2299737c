import { type PageLanguage, pageLanguage } from '@tandem/pages';

const en = {
  consent:
    'I agree to sign this document electronically. My electronic signature is meant to have the same effect as my handwritten one. The time, my network address and my browser are recorded as evidence.',
  consentApprove:
    'I approve this document electronically. The time, my network address and my browser are recorded as evidence.',
  mail: {
    request: {
      subject: (subject: string) => `Please sign: ${subject}`,
      title: (sender: string) => `${sender} asks you to sign a document`,
      button: 'Read and sign',
    },
    approve: {
      subject: (subject: string) => `Please approve: ${subject}`,
      title: (sender: string) => `${sender} asks you to approve a document`,
      button: 'Read and approve',
    },
    view: {
      subject: (subject: string) => `Please read: ${subject}`,
      title: (sender: string) => `${sender} asks you to read a document`,
      button: 'Read the document',
    },
    reminder: (subject: string) => `Reminder: ${subject}`,
    completed: {
      subject: (subject: string) => `Signed: ${subject}`,
      title: 'Everybody has signed',
      text: (file: string) => `The document “${file}” is signed. You can download the signed copy.`,
      button: 'Get the signed document',
    },
    ended: {
      subject: (subject: string) => `Not needed any more: ${subject}`,
      title: 'The request to sign was ended',
      cancelled: (file: string, sender: string) => `${sender} does not ask for signatures on “${file}” any more.`,
      declined: (file: string, _sender: string) => `A person declined to sign “${file}”. The request is ended.`,
      expired: (file: string, _sender: string) => `The time to sign “${file}” is over. The request is ended.`,
      reason: (reason: string) => `Reason: ${reason}`,
    },
    document: (file: string, until: string) => `The document is “${file}”. You can act until ${until}.`,
    hint: 'If the button does not work, open this address:',
    personal: 'The link is for you only. Do not forward this message: signing for somebody else is not possible.',
    footer: (sender: string) => `Sent by Tandem for ${sender}.`,
  },
  certificate: {
    title: 'Certificate of signature',
    subtitle: 'This page is part of the signed document. It proves who signed it, and when.',
    trailTitle: 'Audit trail',
    trailSubtitle: 'What happened to the request, in the order of time.',
    document: 'Document',
    facts: {
      subject: 'Subject',
      file: 'File',
      request: 'Request',
      sha256: 'SHA-256 before signing',
      sender: 'Asked by',
      status: 'Status',
      completed: 'All had signed',
      name: 'Name',
      email: 'E-mail',
      role: 'Role',
      viewed: 'Read',
      signed: 'Signed',
      ip: 'Network address',
      userAgent: 'Browser',
      consent: 'Consent',
    },
    events: 'Events',
    footer: (request: string) => `Signature request ${request}`,
    signedBy: (name: string, time: string) => `Signed electronically by ${name} · ${time}`,
  },
  test: 'This is a test in the sandbox. Nobody has signed this document.',
  roles: { signer: 'Signer', approver: 'Approver', viewer: 'Reader', cc: 'Gets a copy' },
};

const de: typeof en = {
  consent:
    'Ich bin damit einverstanden, dieses Dokument elektronisch zu unterschreiben. Meine elektronische Unterschrift soll dieselbe Wirkung haben wie meine handschriftliche. Zeitpunkt, Netzwerkadresse und Browser werden als Nachweis gespeichert.',
  consentApprove:
    'Ich genehmige dieses Dokument elektronisch. Zeitpunkt, Netzwerkadresse und Browser werden als Nachweis gespeichert.',
  mail: {
    request: {
      subject: (subject) => `Bitte unterschreiben: ${subject}`,
      title: (sender) => `${sender} bittet Sie um Ihre Unterschrift`,
      button: 'Lesen und unterschreiben',
    },
    approve: {
      subject: (subject) => `Bitte genehmigen: ${subject}`,
      title: (sender) => `${sender} bittet Sie um Ihre Genehmigung`,
      button: 'Lesen und genehmigen',
    },
    view: {
      subject: (subject) => `Bitte lesen: ${subject}`,
      title: (sender) => `${sender} bittet Sie, ein Dokument zu lesen`,
      button: 'Dokument lesen',
    },
    reminder: (subject) => `Erinnerung: ${subject}`,
    completed: {
      subject: (subject) => `Unterschrieben: ${subject}`,
      title: 'Alle haben unterschrieben',
      text: (file) =>
        `Das Dokument „${file}“ ist unterschrieben. Sie können die unterschriebene Fassung herunterladen.`,
      button: 'Unterschriebenes Dokument öffnen',
    },
    ended: {
      subject: (subject) => `Nicht mehr nötig: ${subject}`,
      title: 'Die Anfrage wurde beendet',
      cancelled: (file, sender) => `${sender} bittet nicht mehr um Unterschriften für „${file}“.`,
      declined: (file) => `Eine Person hat abgelehnt, „${file}“ zu unterschreiben. Die Anfrage ist beendet.`,
      expired: (file) => `Die Zeit, „${file}“ zu unterschreiben, ist abgelaufen. Die Anfrage ist beendet.`,
      reason: (reason) => `Grund: ${reason}`,
    },
    document: (file, until) => `Das Dokument heißt „${file}“. Sie haben Zeit bis ${until}.`,
    hint: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
    personal:
      'Der Link gilt nur für Sie. Leiten Sie diese Nachricht nicht weiter: Niemand kann für eine andere Person unterschreiben.',
    footer: (sender) => `Von Tandem für ${sender} verschickt.`,
  },
  certificate: {
    title: 'Nachweis der Unterschriften',
    subtitle: 'Diese Seite gehört zum unterschriebenen Dokument. Sie weist nach, wer wann unterschrieben hat.',
    trailTitle: 'Protokoll',
    trailSubtitle: 'Was mit der Anfrage geschah, in zeitlicher Folge.',
    document: 'Dokument',
    facts: {
      subject: 'Betreff',
      file: 'Datei',
      request: 'Anfrage',
      sha256: 'SHA-256 vor den Unterschriften',
      sender: 'Angefragt von',
      status: 'Status',
      completed: 'Alle unterschrieben',
      name: 'Name',
      email: 'E-Mail',
      role: 'Rolle',
      viewed: 'Gelesen',
      signed: 'Unterschrieben',
      ip: 'Netzwerkadresse',
      userAgent: 'Browser',
      consent: 'Zustimmung',
    },
    events: 'Ereignisse',
    footer: (request) => `Signaturanfrage ${request}`,
    signedBy: (name, time) => `Elektronisch unterschrieben von ${name} · ${time}`,
  },
  test: 'Dies ist ein Test in der Sandbox. Niemand hat dieses Dokument unterschrieben.',
  roles: { signer: 'Unterzeichner', approver: 'Genehmigung', viewer: 'Leser', cc: 'Erhält eine Kopie' },
};

/** The texts of messages and certificates, in the language of a request. */
export function textsOf(language: string): typeof en {
  return languageOf(language) === 'de' ? de : en;
}

export function languageOf(language: string): PageLanguage {
  return pageLanguage(language);
}

/** A time as the certificate and messages show it. */
export function timeText(date: Date, language: string): string {
  const form = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat(languageOf(language), form).format(date)} UTC`;
}

/** The text that a person accepts. */
export function consentOf({ role }: { role: string }, language: string): string {
  const texts = textsOf(language);
  return role === 'approver' ? texts.consentApprove : texts.consent;
}
