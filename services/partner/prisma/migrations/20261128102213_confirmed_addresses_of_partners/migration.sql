-- AlterTable
ALTER TABLE "partner" ADD COLUMN     "email_confirmed_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "portal_user" ADD COLUMN     "must_choose_password" BOOLEAN NOT NULL DEFAULT false;
