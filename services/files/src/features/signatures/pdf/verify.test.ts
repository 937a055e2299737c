import { PDFDocument } from '@cantoo/pdf-lib';
import * as asn1 from 'asn1js';
import * as pki from 'pkijs';
import { aPdf } from '../signatures.test-service.ts';
import { addPlaceholder, decodedSandboxAttribute, signDocument } from './sign.ts';
import { readSigningKeys } from './signing-key.ts';
import { verifySignature } from './verify.ts';

const keys = readSigningKeys(process.env.SIGNING_KEY as string);

/** A document that the deployment has signed: the bytes that the signature covers, and the signature in DER. */
async function aSignedDocument(environment: 'live' | 'sandbox' = 'live') {
  const document = await PDFDocument.load(await aPdf([0]));
  const signingTime = new Date();
  addPlaceholder(document, { reason: 'Test', name: 'Ada', signingTime });
  const bytes = Buffer.from(
    await signDocument(await document.save({ useObjectStreams: false }), {
      key: keys.current,
      signingTime,
      environment,
    }),
  );
  const [, length, after, rest] = (
    /\/ByteRange\s*\[\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)/.exec(bytes.toString('latin1')) ?? []
  )
    .slice(1)
    .map(Number) as [number, number, number, number];
  const covered = Buffer.concat([bytes.subarray(0, length), bytes.subarray(after, after + rest)]);
  return { bytes, covered, der: Buffer.from(bytes.subarray(length + 1, after - 1).toString('latin1'), 'hex') };
}

/** A document without any page of the signed one, with a signature in DER that covers its whole file. */
function otherDocument(der: Buffer): Buffer {
  const hex = `<${der.toString('hex')}>`;
  const tail = '\n/Note (I owe you a million)\n%%EOF';
  const start = 120;
  const head = `%PDF-1.7\n/ByteRange [0 ${start} ${start + hex.length} ${tail.length}]`.padEnd(start, ' ');
  return Buffer.from(head + hex + tail, 'latin1');
}

/** The signature after `change`. */
function forged(der: Buffer, change: (signed: pki.SignedData) => void): Buffer {
  const { result } = asn1.fromBER(new Uint8Array(der));
  const info = new pki.ContentInfo({ schema: result });
  const signed = new pki.SignedData({ schema: info.content });
  change(signed);
  const changed = new pki.ContentInfo({ contentType: info.contentType, content: signed.toSchema(true) });
  return Buffer.from(changed.toSchema().toBER(false));
}

it('a signature is valid in the document that was signed, and in no other one', async () => {
  const { bytes, der } = await aSignedDocument();
  expect(await verifySignature(bytes, keys.known)).toEqual({ valid: true, problem: null });
  expect(await verifySignature(otherDocument(der), keys.known)).toEqual({ valid: false, problem: 'changed' });
});

it('a signature that brings the content of its own document is not valid in another one', async () => {
  const { covered, der } = await aSignedDocument();
  const attached = forged(der, (signed) => {
    signed.encapContentInfo.eContent = new asn1.OctetString({ valueHex: new Uint8Array(covered).buffer });
  });
  expect(await verifySignature(otherDocument(attached), keys.known)).toEqual({ valid: false, problem: 'unreadable' });
});

it('a signature of the sandbox is marked as one, and is not valid', async () => {
  const { bytes, der } = await aSignedDocument('sandbox');
  expect(await verifySignature(bytes, keys.known)).toEqual({ valid: false, problem: 'sandbox' });
  const unmarked = forged(der, ({ signerInfos: [signer] }) => {
    const signed = signer?.signedAttrs as pki.SignedAndUnsignedAttributes;
    signed.attributes = signed.attributes.filter(({ type }) => type !== decodedSandboxAttribute);
  });
  const hex = unmarked.toString('hex');
  const forgery = Buffer.from(
    bytes.toString('latin1').replace(/(?<=Contents <)[0-9a-fA-F]+/, (old) => hex.padEnd(old.length, '0')),
    'latin1',
  );
  expect(await verifySignature(forgery, keys.known)).toEqual({ valid: false, problem: 'changed' });
});
