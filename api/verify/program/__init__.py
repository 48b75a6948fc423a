"""The program that checks exports, receipts and statements without Vola."""
