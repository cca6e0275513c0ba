"""einsum in all its forms beside what it stands for."""

import torch

torch.manual_seed(1)
a, b = torch.randint(-3, 4, (3, 4)).float(), torch.randint(-3, 4, (4, 5)).float()
B1, B2 = torch.randint(-3, 4, (2, 3, 4)), torch.randint(-3, 4, (2, 4, 3))
v, w = torch.arange(4.0), torch.ones(4)
print(torch.einsum("ij,jk->ik", a, b), torch.einsum("ij,jk", a, b).equal(a @ b))
print(
    torch.einsum("ij->ji", a).stride(),
    torch.einsum("ij->", a),
    torch.einsum("ij->i", a),
    torch.einsum("ij->j", a),
)
print(torch.einsum("i,i->", v, w), torch.einsum("i,j->ij", v, w).shape, torch.einsum("i,i->i", v, w))
print(torch.einsum("bij,bjk->bik", B1, B2), torch.einsum("bij,bjk->ik", B1, B2))
print(torch.einsum("...ij,...jk->...ik", B1, B2).equal(B1 @ B2), torch.einsum("b...->...b", B1).shape)
s = torch.arange(9).view(3, 3)
print(torch.einsum("ii", s), torch.einsum("ii->i", s), torch.einsum("ii->i", s).stride())
q = torch.randint(-2, 3, (2, 5, 2, 3)).float()
k = torch.randint(-2, 3, (2, 6, 2, 3)).float()
scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
print(scores.shape, scores[0, 0], scores.sum())
t = torch.randint(-2, 3, (2, 3, 4))
print(torch.einsum("abc,cb->a", t, torch.ones(4, 3, dtype=torch.long)), torch.einsum("abc->cab", t).shape)
print(torch.einsum("nc,nd->cd", a, a), torch.einsum("i,ij,j->", torch.ones(3), a, v))
print(torch.einsum(a, [0, 1], b, [1, 2], [0, 2]).equal(a @ b), torch.einsum("ij,ij->ij", a, a).equal(a * a))
d = torch.einsum("ii->i", s.clone())
z = torch.zeros(3, 3)
torch.einsum("ii->i", z).fill_(2)
print(z, d)
print(torch.tensordot(a, b, dims=1).equal(a @ b), torch.tensordot(t, t, dims=([0, 1], [0, 1])))
print(
    torch.kron(torch.eye(2), torch.tensor([[1.0, 2.0]])),
    torch.outer(v, v),
    torch.inner(v, v),
    torch.dot(v, w),
)
print(torch.bmm(B1, B2).sum(), torch.baddbmm(torch.ones(3, 3, dtype=torch.long), B1, B2, beta=2, alpha=-1)[0])
print(torch.linalg.multi_dot([a, b, b.T, a.T]).shape)
for bad in ("ij,jk->ik", "ij,kj->im", "i->ii", "ijk->i"):
    try:
        print(torch.einsum(bad, a, a) if "," in bad else torch.einsum(bad, a))
    except RuntimeError as e:
        print(bad, type(e).__name__)
