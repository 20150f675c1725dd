# (ε, δ) of Gaussian mechanisms by numerical integration of the privacy loss: no closed form.
# A mechanism with the ratio μ has a loss of the distribution N(μ²/2, μ²). Losses of several
# mechanisms add up, so their densities are convolved on a grid. δ(ε) = ∫ (1 − e^(ε−l))₊ f(l) dl,
# by Simpson's rule from l = ε on.
from math import exp,sqrt,pi
def density(mu,h):
    m,s=mu*mu/2,mu
    lo=int((m-9.5*s)/h)-1; hi=int((m+9.5*s)/h)+1
    return lo,[exp(-((i*h-m)/s)**2/2)/(s*sqrt(2*pi)) for i in range(lo,hi+1)]
def convolve(a,b,h):
    la,x=a; lb,y=b
    if len(x)<len(y): x,y=y,x
    out=[0.0]*(len(x)+len(y)-1)
    for j,v in enumerate(y):
        v*=h
        for i,w in enumerate(x): out[i+j]+=w*v
    return la+lb,out
def delta(mus,at):
    h=min(mus)/40
    h=at/max(4,round(at/h)) # ε is a point of the grid
    d=density(mus[0],h)
    for m in mus[1:]: d=convolve(d,density(m,h),h)
    lo,f=d
    k=round(at/h)-lo
    v=[f[i]*(1-exp((k-i)*h)) for i in range(k,len(f))]
    if len(v)%2==0: v.append(0.0)
    return h/3*(v[0]+v[-1]+4*sum(v[1:-1:2])+2*sum(v[2:-1:2]))
print("ratios,epsilon,delta")
for mus,eps in (((.1,),.1),((.5,),.5),((.5,),1),((1,),1),((1,),4),((2,),2),((2,),8),((4,),16),((.25,),1),
    ((.3,.4,.5),1),((.3,.4,.5),2),((.2,.2,.2),.5),((1,2,.5),6),((1,2,.5),12),((3,4),30),((.3,.25,.2,.1,.15),1),((.3,.25,.2,.1,.15),2),((.6,.6,.6,.3,.4),3)):
    print("%s,%g,%.12g"%(' '.join(map(str,mus)),eps,delta(mus,eps)))
