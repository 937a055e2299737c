-- AlterTable
ALTER TABLE "deal_registration" ADD COLUMN     "contact_domain_key" TEXT,
ADD COLUMN     "mailbox_key" TEXT;
