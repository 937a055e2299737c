-- AlterTable
-- SQL cannot compute the hash of an address, so existing rows count as proven. New ones do once the user proves theirs.
ALTER TABLE "email_lookup" ADD COLUMN     "is_proven" BOOLEAN NOT NULL DEFAULT true;
ALTER TABLE "email_lookup" ALTER COLUMN "is_proven" SET DEFAULT false;
