import { PDFArray, PDFDict, type PDFDocument, PDFHexString, PDFName, PDFNumber, PDFString } from '@cantoo/pdf-lib';
import { SignPdf } from '@signpdf/signpdf';
import { DEFAULT_BYTE_RANGE_PLACEHOLDER, Signer } from '@signpdf/utils';
import * as asn1 from 'asn1js';
import * as pki from 'pkijs';
import type { SigningKey } from './signing-key.ts';

const oids = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
};
/**
 * The attribute of signatures that were made in the sandbox, as an OID of a UUID (ITU-T X.667). It is part of what is signed, so
 * nobody can remove it; an entry of the PDF could be hidden by another one that the author of the document wrote.
 */
const sandboxAttribute = '2.25.16053242940931462703758625046984250887';
/** How `sandboxAttribute` is read: the library does not convert a number of this length to decimal digits. */
export const decodedSandboxAttribute = new asn1.ObjectIdentifier({ value: sandboxAttribute }).getValue();
// A chain of three certificates of RSA 4096 needs 7 KB.
const signatureBytes = 16_384;

/** Adds an empty signature, which `signDocument` fills in. It covers the whole file, and is visible on no page. */
export function addPlaceholder(
  document: PDFDocument,
  { reason, name, signingTime }: { reason: string; name: string; signingTime: Date },
): void {
  const { context, catalog } = document;
  const byteRange = context.obj([]) as PDFArray;
  byteRange.push(PDFNumber.of(0));
  for (let part = 0; part < 3; part++) byteRange.push(PDFName.of(DEFAULT_BYTE_RANGE_PLACEHOLDER));
  const signature = context.register(
    context.obj({
      Type: 'Sig',
      Filter: 'Adobe.PPKLite',
      SubFilter: 'ETSI.CAdES.detached',
      ByteRange: byteRange,
      Contents: PDFHexString.of('0'.repeat(signatureBytes * 2)),
      Reason: PDFHexString.fromText(reason),
      Name: PDFHexString.fromText(name),
      M: PDFString.fromDate(signingTime),
    }),
  );
  const page = document.getPages().at(-1) as ReturnType<PDFDocument['getPages']>[number];
  const widget = context.register(
    context.obj({
      Type: 'Annot',
      Subtype: 'Widget',
      FT: 'Sig',
      Rect: [0, 0, 0, 0],
      V: signature,
      T: PDFString.of(`Signature${signature.objectNumber}`),
      // Printed, and locked.
      F: 132,
      P: page.ref,
    }),
  );
  page.node.addAnnot(widget);
  const form = catalog.lookupMaybe(PDFName.of('AcroForm'), PDFDict) ?? context.obj({ Fields: [] });
  if (!catalog.has(PDFName.of('AcroForm'))) catalog.set(PDFName.of('AcroForm'), context.register(form));
  const fields = form.lookupMaybe(PDFName.of('Fields'), PDFArray) ?? (context.obj([]) as PDFArray);
  fields.push(widget);
  form.set(PDFName.of('Fields'), fields);
  // Signatures exist, and readers may only append to the file.
  form.set(PDFName.of('SigFlags'), PDFNumber.of(3));
}

/** Signs a document with a placeholder: PAdES baseline B (ETSI EN 319 142-1). */
export async function signDocument(
  bytes: Uint8Array,
  { key, signingTime, environment }: { key: SigningKey; signingTime: Date; environment: 'live' | 'sandbox' },
): Promise<Uint8Array> {
  return new SignPdf().sign(bytes, new KeySigner(key, environment), signingTime);
}

class KeySigner extends Signer {
  readonly #key: SigningKey;
  readonly #environment: 'live' | 'sandbox';

  constructor(key: SigningKey, environment: 'live' | 'sandbox') {
    super();
    this.#key = key;
    this.#environment = environment;
  }

  override async sign(content: Buffer): Promise<Buffer> {
    const { privateKey, algorithm, certificates } = this.#key;
    const [own, ...others] = certificates.map((der) => pki.Certificate.fromBER(der)) as [
      pki.Certificate,
      ...pki.Certificate[],
    ];
    const usage =
      algorithm === 'ECDSA' ? { name: algorithm, namedCurve: 'P-256' } : { name: algorithm, hash: 'SHA-256' };
    const imported = await crypto.subtle.importKey('pkcs8', new Uint8Array(privateKey), usage, false, ['sign']);
    const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(content));
    const signed = new pki.SignedData({
      version: 1,
      encapContentInfo: new pki.EncapsulatedContentInfo({ eContentType: oids.data }),
      signerInfos: [
        new pki.SignerInfo({
          version: 1,
          sid: new pki.IssuerAndSerialNumber({ issuer: own.issuer, serialNumber: own.serialNumber }),
          signedAttrs: new pki.SignedAndUnsignedAttributes({
            type: 0,
            attributes: await attributes(digest, certificates, this.#environment),
          }),
        }),
      ],
      certificates: [own, ...others],
    });
    await signed.sign(imported, 0, 'SHA-256');
    const info = new pki.ContentInfo({ contentType: oids.signedData, content: signed.toSchema(true) });
    return Buffer.from(info.toSchema().toBER(false));
  }
}

/**
 * PAdES takes the time from the entry M of the signature dictionary and forbids the attribute signing-time. The attribute
 * signing-certificate-v2 (RFC 5035) binds the certificate, so that it cannot be exchanged for another one of the same key. DER sorts
 * the attributes, the shortest one first.
 */
async function attributes(
  digest: ArrayBuffer,
  [own]: readonly Uint8Array[],
  environment: 'live' | 'sandbox',
): Promise<pki.Attribute[]> {
  const fingerprint = await crypto.subtle.digest('SHA-256', new Uint8Array(own as Uint8Array));
  const reference = new asn1.Sequence({ value: [new asn1.OctetString({ valueHex: fingerprint })] });
  const mark = new pki.Attribute({ type: sandboxAttribute, values: [new asn1.Utf8String({ value: 'sandbox' })] });
  return [
    new pki.Attribute({ type: oids.contentType, values: [new asn1.ObjectIdentifier({ value: oids.data })] }),
    ...(environment === 'sandbox' ? [mark] : []),
    new pki.Attribute({ type: oids.messageDigest, values: [new asn1.OctetString({ valueHex: digest })] }),
    new pki.Attribute({
      type: oids.signingCertificateV2,
      values: [new asn1.Sequence({ value: [new asn1.Sequence({ value: [reference] })] })],
    }),
  ];
}
